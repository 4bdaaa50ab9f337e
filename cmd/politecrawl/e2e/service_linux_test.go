package e2e

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
)

// The service is valid for systemd. Its command starts a crawl, and resumes it the next time.
func TestService(t *testing.T) {
	unit, err := filepath.Abs("../../../configs/systemd/politecrawl.service")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^ExecStart=(politecrawl .*)$`).FindStringSubmatch(readText(t, unit))
	if m == nil {
		t.Fatal("the service has no command")
	}
	site := smallSite(t)
	dir := t.TempDir()
	config := filepath.Join(dir, "crawl.yaml")
	if err := os.WriteFile(config, []byte("urls: ["+site.url+"]\ndelay: 0s\nallow-addr: [127.0.0.0/8]\nmax-pages: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"crawling 1 host", "resuming the crawl"} {
		cmd := exec.Command("/bin/sh", "-c", strings.Replace(m[1], "/etc/politecrawl/crawl.yaml", config, 1))
		cmd.Dir, cmd.Env = dir, asCommand(t)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("want %q: %v\n%s", want, err, out)
		}
	}
	// The program is not installed here, and systemd does not accept a command that is missing.
	installed := filepath.Join(dir, "politecrawl.service")
	if err := os.WriteFile(installed, []byte(strings.Replace(readText(t, unit), "ExecStart=politecrawl", "ExecStart=/bin/true", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool(t, "systemd-analyze"), "verify", installed).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// The image has a static program of the command in the Dockerfile, an unprivileged user and a
// volume. As root, the test runs the program as the image does: alone in its file system.
func TestDockerfile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program without a cache of builds")
	}
	var stages [][]string // the instructions of each
	for line := range strings.Lines(readText(t, "../../../configs/docker/Dockerfile")) {
		line = strings.TrimSpace(line)
		switch instruction, _, _ := strings.Cut(line, " "); instruction {
		case "", "#":
		case "FROM":
			stages = append(stages, []string{line})
		case "WORKDIR", "COPY", "RUN", "USER", "ENV", "VOLUME", "ENTRYPOINT":
			last := len(stages) - 1
			stages[last] = append(stages[last], line)
		default:
			t.Errorf("unknown instruction: %s", line)
		}
	}
	if len(stages) != 2 || stages[1][0] != "FROM scratch" {
		t.Fatalf("stages: %q", stages)
	}
	for _, line := range []string{"USER 65532:65532", "WORKDIR /crawl", "VOLUME /crawl", `ENTRYPOINT ["/politecrawl"]`, "COPY --from=build /politecrawl /politecrawl"} {
		if !slices.Contains(stages[1], line) {
			t.Errorf("the image lacks %q", line)
		}
	}
	root := t.TempDir()
	i := slices.IndexFunc(stages[0], func(line string) bool { return strings.Contains(line, "go build") })
	build := strings.Replace(strings.TrimPrefix(stages[0][i], "RUN "), "-o /politecrawl ", "-o "+filepath.Join(root, "politecrawl")+" ", 1)
	cmd := exec.Command("/bin/sh", "-c", build)
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	file, err := elf.Open(filepath.Join(root, "politecrawl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Error("the program is not static")
	}
	site := smallSite(t)
	run := exec.Command(filepath.Join(root, "politecrawl"))
	run.Dir = filepath.Join(root, "crawl")
	if err := errors.Join(os.Mkdir(run.Dir, 0o700), os.Chmod(root, 0o755)); err != nil {
		t.Fatal(err)
	}
	inImage(t, run, root, 65532)
	run.Args = append(run.Args[:1], "crawl", site.url, "--allow-addr", "127.0.0.0/8", "--delay", "0s", "--output", "example")
	run.Env = []string{}
	if out, err := run.CombinedOutput(); err != nil || run.ProcessState.ExitCode() != cli.ExitDone || !strings.Contains(string(out), "finished") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(root, "crawl", "example", "report.html")); err != nil {
		t.Error(err)
	}
}

// inImage makes cmd run as it does in an image: with root as its file system, as an unprivileged
// user. Without the rights for that, cmd runs as it is.
func inImage(t *testing.T, cmd *exec.Cmd, root string, user int) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	if err := os.Chown(cmd.Dir, user, user); err != nil {
		t.Fatal(err)
	}
	cmd.Path, cmd.Dir = "/politecrawl", "/"+filepath.Base(cmd.Dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
}
