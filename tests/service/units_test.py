"""Tests the files that run a role as a service: the systemd unit and the manifests."""

import os
import re
import socket
import subprocess
import unittest

from running import COLUMNS, SERVICE, RunningService
from support import InFolder, Tree, example, main, needs

try:
    import yaml
except ImportError:
    yaml = None

# systemd rates from 0 to 10 how exposed a service is. Below 2, systemd calls the service "OK".
MOST_EXPOSED = 1.9


def manifests():
    return list(yaml.safe_load_all((Tree.source / "apps/deploy/kubernetes/role.yaml").read_text()))


def role_config(folder):
    """Returns a config of a party, as `sotto init --live` writes it."""
    subprocess.run([Tree.sotto, "init", "--live", "--parties", "2", "--set", "service.arms=a,b", "--set",
                    "service.baseline_arm=a", "--set", "service.reward_wait=1h", "--insecure-shared-keys", "--out",
                    folder], check=True, capture_output=True)
    (folder / "party_1" / "columns.csv").write_text(COLUMNS["party_1"])
    return folder / "party_1" / "config.toml"


def effective(config, variables):
    """Returns the effective config for this config file and these environment variables."""
    done = subprocess.run([Tree.sotto, "serve", "--config", config, "--print-config"], capture_output=True, text=True,
                          env={**os.environ, **variables}, check=False)
    return done.returncode, done.stdout + done.stderr


class Unit(InFolder):
    def unit(self):
        """Returns the installed unit with the path of the program under test."""
        text, count = re.subn(r"^ExecStart=\S+/sotto ", f"ExecStart={Tree.sotto} ", Tree.unit.read_text(),
                              flags=re.MULTILINE)
        self.assertEqual(count, 1)
        file = self.folder / "sotto@.service"
        file.write_text(text)
        instance = self.folder / "sotto@actor.service"
        instance.write_text(text)
        return instance

    @needs("systemd-analyze")
    def test_systemd_accepts_it(self):
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", self.unit()], capture_output=True, text=True,
                              check=False)
        said = [line for line in (done.stdout + done.stderr).splitlines() if "sotto" in line]
        self.assertEqual(said, [])
        self.assertEqual(done.returncode, 0, done.stderr)

    @needs("systemd-analyze")
    def test_systemd_finds_it_closed(self):
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED * 10:.0f}",
                               "--no-pager", self.unit()], capture_output=True, text=True, check=False)
        score = re.search(r"Overall exposure level for \S+: ([0-9.]+)", done.stdout)
        self.assertIsNotNone(score, done.stdout + done.stderr)
        print(f"exposure level {score[1]}")
        self.assertLessEqual(float(score[1]), MOST_EXPOSED, done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_its_variables_are_settings(self):
        config = role_config(self.folder / "roles")
        variables = dict(re.findall(r"^Environment=(\w+)=(.*)$", Tree.unit.read_text(), re.MULTILINE))
        self.assertTrue(variables)
        status, said = effective(config, {name: value.replace("%i", "party_1") for name, value in variables.items()})
        self.assertEqual(status, 0, said)
        self.assertIn('state = "/var/lib/sotto/party_1"', said)


class Notices(RunningService):
    """A role notifies its service manager when it is ready and when it ends, and sends its status and regular signs
    of life.
    """

    def setUp(self):
        InFolder.setUp(self)
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.manager.close)
        self.manager.bind(str(self.folder / "notify"))
        self.manager.settimeout(60)
        services = example("services")
        self.services = services.Services(Tree.sotto, self.folder / "roles", SERVICE, COLUMNS)
        self.addCleanup(self.end)
        for role in self.services.names:
            variables = {"NOTIFY_SOCKET": str(self.folder / "notify"), "WATCHDOG_USEC": "400000"}
            if role == "rewarder":
                os.environ.update(variables)
            self.services.start(role)
            for name in variables:
                os.environ.pop(name, None)

    def hear_until(self, line):
        heard = [self.manager.recv(4096).decode()]
        while heard[-1] != line:
            heard.append(self.manager.recv(4096).decode())
        return heard

    def test_what_it_tells(self):
        first = self.hear_until("STATUS=rewarder is ready in epoch 1")
        self.assertEqual(first[0], "READY=1")
        self.hear_until("WATCHDOG=1")
        self.hear_until("WATCHDOG=1")
        self.services.kill("dealer")
        self.hear_until_prefix("STATUS=rewarder is not ready: ")
        self.services.start("dealer")
        self.hear_until_prefix("STATUS=rewarder is ready in epoch ")
        self.services.stop()
        last = self.hear_until("STOPPING=1")
        self.assertNotIn("READY=1", last)

    def hear_until_prefix(self, prefix):
        while not self.manager.recv(4096).decode().startswith(prefix):
            pass


@unittest.skipIf(yaml is None, "python3-yaml is not installed: scripts/install-dependencies --ci does")
class Manifests(InFolder):
    def setUp(self):
        super().setUp()
        self.documents = manifests()
        (self.stateful,) = [each for each in self.documents if each["kind"] == "StatefulSet"]
        self.pod = self.stateful["spec"]["template"]["spec"]
        (self.role,) = self.pod["containers"]

    def containers(self):
        return self.pod["containers"] + self.pod["initContainers"]

    def test_kinds_and_names(self):
        kinds = [each["kind"] for each in self.documents]
        self.assertEqual(kinds, ["Service", "Service", "NetworkPolicy", "StatefulSet"])
        for each in self.documents:
            self.assertRegex(each["metadata"]["name"], r"^[a-z]([-a-z0-9]*[a-z0-9])?$")
            self.assertIn(each["apiVersion"], ("v1", "apps/v1", "networking.k8s.io/v1"))

    def test_one_process_with_one_store(self):
        self.assertEqual(self.stateful["spec"]["replicas"], 1)
        (claim,) = self.stateful["spec"]["volumeClaimTemplates"]
        self.assertEqual(claim["spec"]["accessModes"], ["ReadWriteOncePod"])
        labels = self.stateful["spec"]["template"]["metadata"]["labels"]
        self.assertEqual(self.stateful["spec"]["selector"]["matchLabels"], labels)
        for each in self.documents[:2]:
            self.assertEqual(each["spec"]["selector"], labels)
        self.assertEqual(self.documents[2]["spec"]["podSelector"]["matchLabels"], labels)

    def test_the_image_has_the_name_that_is_built(self):
        """The manifest, the container file and the page use the same image name, with the version of the tree."""
        (version,) = re.findall(r"^project\(sotto VERSION (\S+)", (Tree.source / "CMakeLists.txt").read_text(),
                                re.MULTILINE)
        image = f"registry.example/sotto:{version}"
        self.assertEqual({container["image"] for container in self.containers()}, {image})
        for file in ("apps/deploy/container/Containerfile", "docs/guides/live-operation.md"):
            text = (Tree.source / file).read_text()
            self.assertIn(f"--tag {image} ", text)

    def test_a_new_secret_makes_the_pod_anew(self):
        """The pod copies the secret at its start, so the template has an annotation that changes with the secret."""
        annotations = self.stateful["spec"]["template"]["metadata"]["annotations"]
        self.assertRegex(annotations["sotto/secret"], "^[0-9]+$")

    def test_nothing_runs_as_root(self):
        pod = self.pod["securityContext"]
        self.assertIs(pod["runAsNonRoot"], True)
        self.assertGreater(pod["runAsUser"], 0)
        self.assertEqual(pod["fsGroupChangePolicy"], "OnRootMismatch")
        self.assertEqual(pod["seccompProfile"]["type"], "RuntimeDefault")
        self.assertIs(self.pod["automountServiceAccountToken"], False)
        for container in self.containers():
            own = container["securityContext"]
            self.assertIs(own["allowPrivilegeEscalation"], False)
            self.assertIs(own["readOnlyRootFilesystem"], True)
            self.assertEqual(own["capabilities"], {"drop": ["ALL"]})
            self.assertNotIn("privileged", own)
            self.assertNotIn("runAsUser", own)

    def test_resources_are_bounded(self):
        for container in self.containers():
            for kind in ("requests", "limits"):
                self.assertEqual(set(container["resources"][kind]), {"cpu", "memory"})

    def test_probes_ask_what_the_interface_answers(self):
        ports = {port["name"]: port["containerPort"] for port in self.role["ports"]}
        for probe, path in {"livenessProbe": "/healthz", "startupProbe": "/healthz", "readinessProbe": "/readyz"}.items():
            get = self.role[probe]["httpGet"]
            self.assertEqual((get["path"], get["scheme"]), (path, "HTTPS"))
            self.assertIn(get["port"], ports)
        routes = (Tree.source / "docs/reference/openapi.json").read_text()
        for path in ("/healthz", "/readyz"):
            self.assertIn(f'"{path}"', routes)
        for each in self.documents[:2]:
            self.assertIn(each["spec"]["ports"][0]["targetPort"], ports)
            self.assertIs(each["spec"]["publishNotReadyAddresses"], True)

    def test_secrets_are_for_the_role_alone(self):
        volumes = {volume["name"]: volume for volume in self.pod["volumes"]}
        self.assertEqual(volumes["secret"]["secret"]["defaultMode"], 0o400)
        self.assertEqual(volumes["secrets"]["emptyDir"]["medium"], "Memory")
        mounts = {mount["name"]: mount for mount in self.role["volumeMounts"]}
        self.assertNotIn("secret", mounts)
        self.assertIs(mounts["secrets"]["readOnly"], True)
        self.assertIs(mounts["config"]["readOnly"], True)
        for mount in (mount for container in self.containers() for mount in container["volumeMounts"]):
            self.assertIn(mount["name"], {*volumes, "state"})

    def test_the_init_container_does_what_it_says(self):
        """Runs the container's command with file permissions as fsGroup sets them. Then the role can read its key."""
        (init,) = self.pod["initContainers"]
        secret, secrets = self.folder / "secret", self.folder / "secrets"
        secret.mkdir()
        secrets.mkdir()
        subprocess.run([Tree.sotto, "keys", "new", "--out", secret / "key.pem", "--name", "party_1"], check=True,
                       capture_output=True)
        (secret / "token").write_text("0123456789abcdef" * 4 + "\n")
        for file in secret.iterdir():
            file.chmod(0o440)
        words = [word.replace("/run/secrets/sotto", str(secrets)).replace("/secret/", f"{secret}/")
                 for word in init["command"]]
        subprocess.run(words, check=True)
        self.assertEqual({file.name: file.stat().st_mode & 0o777 for file in secrets.iterdir()},
                         {"key.pem": 0o400, "token": 0o400})
        shown = subprocess.run([Tree.sotto, "keys", "show", secrets / "key.pem"], capture_output=True, text=True,
                               check=True).stdout
        self.assertIn("sha256:", shown)

    def test_its_variables_are_settings(self):
        config = role_config(self.folder / "roles")
        variables = {each["name"]: each["value"] for each in self.role["env"]}
        status, said = effective(config, variables)
        self.assertEqual(status, 0, said)
        for text in ('key = "/run/secrets/sotto/key.pem"', 'state = "/var/lib/sotto/state"',
                     'listen = "0.0.0.0:8443"', "tls = true", 'token_file = "/run/secrets/sotto/token"'):
            self.assertIn(text, said)


if __name__ == "__main__":
    main()
