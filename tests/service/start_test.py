"""Runs the commands of docs/start/decision-service.md as they are printed, by a shell in an empty folder. A free port takes the
place of the port at which the page shows the actor to a browser."""

from support import example, main
from walk_test import PageWalk

BROWSER = "127.0.0.1:7200"


class Walk(PageWalk):
    page = "docs/start/decision-service.md"
    least_commands = 20

    def prepare(self):
        self.ports = example("services").Ports()  # holds its ports until the test ends

    def text(self):
        page = super().text()
        self.assertIn(BROWSER, page)
        return page.replace(BROWSER, self.ports.take())

    def test_every_command_does_what_the_page_says(self):
        self.walk()


if __name__ == "__main__":
    main()
