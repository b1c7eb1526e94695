"""A stand-in for Docker's client, its engine and the zimit image: what archive-tool sees of the three.

Run as `docker` by the fixture in `tests.support.docker`, in a bare interpreter: it starts often. Containers are
processes of their own that outlive the client, with their state in the folder STAND_IN_DOCKER:

    engine              `up`, `down` (nobody answers) or `hung` (nobody ever answers)
    linger              while it is there, `docker run` and `docker logs --follow` do not end with their container
    pulling             while it is there, `docker run` has no container yet
    calls, following    every call of the client, one a line; every `wait` and `logs` that has found its container
    scenarios/N         what the Nth run of zimit does, one step a line; else what a crawl without trouble does
    containers/ID/      label, status, pid, log; moved to removed/ID with its exit code once it is over, as --rm does

Steps: tempdir NAME | quietdir NAME | stats CRAWLED TOTAL | say TEXT | warc FILE | yaml | zim | wait FILE | exit CODE |
ignore-stop | engine-dies. After the last step a container ends with 0.
"""

import os
import signal
import sys
import time

HOME = os.environ["STAND_IN_DOCKER"]
NO_ENGINE = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"
TAKES_VALUE = ("-v", "--label", "--shm-size", "--entrypoint")
MONTH = "2026-11"


def main(arguments: list[str]) -> None:
    note("calls", " ".join(arguments))
    verb, rest = arguments[0], arguments[1:]
    while engine() == "hung":
        nap()
    if engine() != "up":
        if verb == "run":
            fail(f"docker: {NO_ENGINE}\nSee 'docker run --help'.", 125)
        fail(NO_ENGINE, 1)
    VERBS[verb](rest)


def version(_rest: list[str]) -> None:
    print("27.3.1")


def ps(rest: list[str]) -> None:
    label = rest[rest.index("--filter") + 1][len("label=") :]
    found = [container for container in os.listdir(place("containers")) if read(container, "label") == label]
    for container in sorted(found, key=lambda each: read(each, "began"), reverse=True):
        print(container, read(container, "status"))


def run(rest: list[str]) -> None:
    options, words = parsed(rest)
    while os.path.exists(place("pulling")):
        nap()
    container = os.urandom(32).hex()
    os.makedirs(place("containers", container))
    write(container, "began", str(time.monotonic_ns()))
    write(container, "label", options.get("--label", ""))
    write(container, "log", "")
    write(container, "client", str(os.getpid()))
    write(container, "status", "created")
    log = opened_log(container)
    begin(container, options, words)
    signal.signal(signal.SIGTERM, lambda *_: signal_container(container, signal.SIGTERM))
    follow(container, log, on=True)
    while os.path.exists(place("linger")):
        nap()
    sys.exit(awaited(container))


def parsed(rest: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the options of `run` by name, and what follows them: the image and its command."""
    options: dict[str, str] = {}
    words = list(rest)
    while words[0].startswith("-"):
        option = words.pop(0)
        options[option] = words.pop(0) if option in TAKES_VALUE else ""
    return options, words


def begin(container: str, options: dict[str, str], words: list[str]) -> None:
    """Fork what looks after a container, in a session of its own, and return once the container runs."""
    if os.fork() == 0:
        os.setsid()
        silence()
        if os.fork():
            os._exit(0)
        pid = os.fork()
        if pid == 0:
            os.setsid()
            while read(container, "status") == "created":
                nap()
            contained(container, options, words)
        write(container, "pid", str(pid))
        write(container, "status", "running")
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        write(container, "exit", str(code if code >= 0 else 128 - code))
        write(container, "status", "exited")
        os.rename(place("containers", container), place("removed", container))
        os._exit(0)
    os.wait()
    while read(container, "status") == "created":
        nap()


def silence() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def contained(container: str, options: dict[str, str], words: list[str]) -> None:
    """Be a container: zimit, or another command of its image."""
    log = os.open(place("containers", container, "log"), os.O_WRONLY | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    output = options["-v"].rpartition(":")[0]
    if "--entrypoint" in options:
        program = options["--entrypoint"]
        os.execvp(program, [program, *[word.replace("/output", output) for word in words[1:]]])
    signal.signal(signal.SIGTERM, stopped)
    try:
        zimit(container, output, words[2:])
    except SystemExit as ending:
        sys.stdout.flush()
        os._exit(int(ending.code or 0))
    except Exception as error:
        say(f"the stand-in is broken: {error!r}")
        os._exit(1)


def stopped(*_: object) -> None:
    print("SIGINT/SIGTERM received, stopping zimit", flush=True)
    sys.exit(3)


def zimit(container: str, output: str, told: list[str]) -> None:
    number = 1
    while os.path.exists(place("begun", str(number))):
        number += 1
    with open(place("begun", str(number)), "w") as begun:
        begun.write("\n".join(told))
    zim = f"{output}/{told[told.index('--name') + 1]}_{MONTH}.zim"
    if os.path.exists(zim) and "--overwrite" not in told:
        say("The ZIM file already exists, use --overwrite")
        sys.exit(2)
    steps = [f"tempdir run{number}", "warc page", "stats 1 1", "zim"]
    is_told = os.path.exists(place("scenarios", str(number)))
    if is_told:
        with open(place("scenarios", str(number))) as scenario:
            steps = scenario.read().splitlines()
    if "--warcs" in told and not is_told:
        convert(output, zim, told[told.index("--warcs") + 1].split(","))
    else:
        crawl = Crawl(output, zim)
        if "--warcs" not in told:
            signal.signal(signal.SIGINT, crawl.interrupted)
            write(container, "crawls", "yes")
        crawl.act(steps)
    sys.exit(0)


def convert(output: str, zim: str, warcs: list[str]) -> None:
    """Make a ZIM that names the WARC files it is made of."""
    found = []
    for warc in warcs:
        ending = "." + warc.rpartition("/")[2].partition(".")[2]
        if ending not in (".warc", ".warc.gz"):
            say(f"Unsupported file at {warc}")
            sys.exit(1)
        on_host = warc.replace("/output", output, 1)
        if not os.path.exists(on_host):
            say(f"Impossible to find file at {warc}")
            sys.exit(1)
        found.append(os.path.realpath(on_host))
    make_zim(zim, "\n".join(sorted(found)))


class Crawl:
    """A crawl of zimit, step by step."""

    def __init__(self, output: str, target: str) -> None:
        self.output, self.target, self.temp = output, target, ""

    def act(self, steps: list[str]) -> None:
        for step in steps:
            word, _, rest = step.partition(" ")
            getattr(self, word.replace("-", "_"))(rest)

    def tempdir(self, name: str) -> None:
        self.quietdir(name)
        say(f"[zimit::2026-11-16 12:00:00,000] INFO:Output to tempdir: /output/.tmp{name} - will keep")

    def quietdir(self, name: str) -> None:
        self.temp = f"{self.output}/.tmp{name}"
        os.makedirs(f"{self.temp}/collections/crawl-1/archive")

    def stats(self, counts: str) -> None:
        crawled, total = counts.split()
        when = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
        say(
            f'{{"timestamp":"{when}","logLevel":"info","context":"crawlStatus","message":"Crawl statistics","details":'
            f'{{"crawled":{crawled},"total":{total},"pending":0,"failed":0,"limit":{{"max":0,"hit":false}},'
            '"pendingPages":[]}}'
        )

    def say(self, text: str) -> None:
        say(text)

    def warc(self, name: str) -> None:
        with open(place("warcs", f"{name}.warc.gz"), "rb") as prepared:
            content = prepared.read()
        with open(f"{self.temp}/collections/crawl-1/archive/rec-{name}-0.warc.gz", "wb") as warc:
            warc.write(content)

    def yaml(self, _rest: str) -> None:
        folder = f"{self.temp}/collections/crawl-1/crawls"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/crawl-1.yaml", "w") as saved:
            saved.write("state:\n  queued: []\n")

    def zim(self, _rest: str) -> None:
        make_zim(self.target, f"of {self.temp}")

    def interrupted(self, *_: object) -> None:
        if self.temp:
            self.yaml("")
        say("SIGNAL: interrupt request received... gracefully finishing current pages")
        sys.exit(11)

    def wait(self, name: str) -> None:
        while not os.path.exists(place(name)):
            nap()

    def ignore_stop(self, _rest: str) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: say("still busy"))

    def engine_dies(self, _rest: str) -> None:
        with open(place("engine"), "w") as file:
            file.write("down")
        os.kill(os.getpid(), signal.SIGKILL)

    def exit(self, code: str) -> None:
        sys.exit(int(code))


def make_zim(zim: str, content: str) -> None:
    with open(f"{zim}.tmp", "w") as file:
        file.write(content)
    os.rename(f"{zim}.tmp", zim)


def say(text: str) -> None:
    print(text, flush=True)


def wait(rest: list[str]) -> None:
    known(rest[0])
    note("following", "wait")
    print(awaited(rest[0]))


def logs(rest: list[str]) -> None:
    known(rest[-1])
    log = opened_log(rest[-1])
    note("following", "logs")
    if "--tail" in rest:
        os.lseek(log, 0, os.SEEK_END)
    follow(rest[-1], log, on="--follow" in rest)
    while os.path.exists(place("linger")):
        nap()


def exec_(rest: list[str]) -> None:
    """Tell the crawler of a container something, if it has one."""
    known(rest[0])
    if not read(rest[0], "crawls"):
        fail("sh: 1: kill: Usage: kill [-s sigspec | -signum | -sigspec] [pid | job]...", 2)
    signal_container(rest[0], signal.SIGINT)


def stop(rest: list[str]) -> None:
    known(rest[-1])
    grace = float(rest[rest.index("-t") + 1])
    signal_container(rest[-1], signal.SIGTERM)
    until = time.monotonic() + grace
    while is_running(rest[-1]) and time.monotonic() < until:
        nap()
    if is_running(rest[-1]):
        signal_container(rest[-1], signal.SIGKILL)
    awaited(rest[-1])
    print(rest[-1])


def kill(rest: list[str]) -> None:
    known(rest[-1])
    signal_container(rest[-1], signal.SIGKILL)
    awaited(rest[-1])
    print(rest[-1])


def rm(rest: list[str]) -> None:
    known(rest[-1])
    if is_running(rest[-1]):
        kill(rest)
    else:
        os.rename(place("containers", rest[-1]), place("removed", rest[-1]))


def known(container: str) -> None:
    if not os.path.exists(place("containers", container)):
        fail(f"Error response from daemon: No such container: {container}", 1)


def awaited(container: str) -> int:
    """Return the exit code of a container once it is over; give up as the real one does when the engine is gone."""
    while is_running(container):
        if engine() != "up":
            fail("error waiting for container: unexpected EOF", 125)
        nap()
    if engine() != "up":
        fail("error waiting for container: unexpected EOF", 125)
    with open(place("removed", container, "exit")) as code:
        return int(code.read())


def opened_log(container: str) -> int:
    return os.open(place("containers", container, "log"), os.O_RDONLY)


def follow(container: str, log: int, *, on: bool) -> None:
    """Print what a container says, and what it will say."""
    while True:
        is_over = not is_running(container)
        while more := os.read(log, 65536):
            os.write(1, more)
        if is_over or not on or engine() != "up":
            return
        nap()


def is_running(container: str) -> bool:
    return os.path.exists(place("containers", container))


def signal_container(container: str, number: signal.Signals) -> None:
    pid = read(container, "pid")
    if pid:
        try:
            os.killpg(int(pid), number)
        except ProcessLookupError:
            pass


def engine() -> str:
    with open(place("engine")) as file:
        return file.read().strip()


def read(container: str, name: str) -> str:
    try:
        with open(place("containers", container, name)) as file:
            return file.read()
    except FileNotFoundError:
        return ""


def write(container: str, name: str, text: str) -> None:
    path = place("containers", container, name)
    with open(f"{path}.new", "w") as file:
        file.write(text)
    os.rename(f"{path}.new", path)


def place(*names: str) -> str:
    return os.path.join(HOME, *names)


def note(name: str, line: str) -> None:
    with open(place(name), "a") as file:
        file.write(line + "\n")


def nap() -> None:
    time.sleep(0.01)


def fail(message: str, code: int) -> None:
    sys.stdout.flush()
    print(message, file=sys.stderr, flush=True)
    sys.exit(code)


VERBS = {"version": version, "ps": ps, "run": run, "wait": wait, "logs": logs, "stop": stop, "kill": kill, "rm": rm}
VERBS["exec"] = exec_
