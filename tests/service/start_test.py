"""Runs the commands of docs/start/decision-service.md exactly as printed, except that a free port replaces the port
of the actor's page.
"""

from support import main
from walk_test import PageWalk

BROWSER = "127.0.0.1:7200"


class Walk(PageWalk):
    page = "docs/start/decision-service.md"
    least_commands = 20

    def text(self):
        page = super().text()
        self.assertIn(BROWSER, page)
        return page.replace(BROWSER, self.ports.take())

    def test_every_command_does_what_the_page_says(self):
        self.walk()


if __name__ == "__main__":
    main()
