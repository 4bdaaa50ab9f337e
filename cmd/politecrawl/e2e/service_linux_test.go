package e2e

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// The units are valid for systemd. The service starts a crawl and resumes it the next time. The timer's
// service finishes a crawl before it starts a recrawl.
func TestService(t *testing.T) {
	site, dir := smallSite(t), t.TempDir()
	config := filepath.Join(dir, "crawl.yaml")
	if err := os.WriteFile(config, []byte("urls: ["+site.url+"]\ndelay: 0s\nallow-addr: [127.0.0.0/8]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	verify := []string{"verify"}
	units := make(map[string]string)
	for _, name := range []string{"politecrawl.service", "politecrawl-recrawl.service", "politecrawl-recrawl.timer"} {
		units[name] = readText(t, "../../../configs/systemd/"+name)
		// The program is not installed here, and systemd does not accept a command that is missing.
		installed := filepath.Join(dir, name)
		if err := os.WriteFile(installed, []byte(strings.ReplaceAll(units[name], "=politecrawl ", "=/bin/true ")), 0o600); err != nil {
			t.Fatal(err)
		}
		verify = append(verify, installed)
	}
	sandbox := func(unit string) string {
		_, lines, _ := strings.Cut(unit, "\nLimitNOFILE=")
		lines, _, _ = strings.Cut(lines, "\n[")
		return strings.TrimSpace(lines)
	}
	if service, recrawl := sandbox(units["politecrawl.service"]), sandbox(units["politecrawl-recrawl.service"]); service != recrawl || service == "" {
		t.Errorf("the services have different sandboxes:\n%s\n\n%s", service, recrawl)
	}
	for _, run := range []struct{ unit, limit, want string }{
		{"politecrawl.service", "1", "crawling 1 host"},
		{"politecrawl.service", "9", "resuming the crawl"},
		{"politecrawl-recrawl.service", "1", "recrawling 1 host"},
		{"politecrawl-recrawl.service", "9", "resuming the crawl"}, // then starts another recrawl
		{"politecrawl.service", "9", "no URLs remain"},
	} {
		var out string
		var err error
		for line := range strings.Lines(units[run.unit]) {
			name, command, _ := strings.Cut(strings.TrimSpace(line), "=")
			if strings.HasPrefix(name, "Exec") && err == nil {
				var text string
				text, err = inShell(t, dir, strings.Replace(command, "/etc/politecrawl/crawl.yaml", config, 1), "POLITECRAWL_MAX_PAGES="+run.limit)
				out += text
			}
		}
		if err != nil || !strings.Contains(out, run.want) {
			t.Errorf("%s with max-pages %q: want %q: %v\n%s", run.unit, run.limit, run.want, err, out)
		}
	}
	if out, err := exec.Command(tool(t, "systemd-analyze"), verify...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// inShell runs a command line with the program in a directory, and returns what it prints.
func inShell(t *testing.T, dir, command string, env ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Dir, cmd.Env = dir, append(asCommand(t), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The containers for Compose share a crawl through their Redis, can be started again, and have a report.
func TestCompose(t *testing.T) {
	var file struct {
		Services map[string]struct{ Command []string }
	}
	if err := yaml.Unmarshal([]byte(readText(t, "../../../configs/docker/compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	c := file.Services
	dir := runWorkers(t, c["redis"].Command, c["worker-1"].Command, c["worker-2"].Command)
	if out, err := inShell(t, dir, "politecrawl report worker-1 worker-2 --output report && ls report/report.html"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The pods for Kubernetes share a crawl through their Redis, and can be started again.
func TestKubernetes(t *testing.T) {
	args := map[string][]string{} // of the containers
	for document := range strings.SplitSeq(readText(t, "../../../configs/kubernetes/crawl.yaml"), "\n---\n") {
		var object struct {
			Spec struct {
				Template struct {
					Spec struct {
						Containers []struct {
							Name string
							Args []string
						}
					}
				}
			}
		}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatal(err)
		}
		for _, c := range object.Spec.Template.Spec.Containers {
			args[c.Name] = c.Args
		}
	}
	pod := func(index string) (words []string) {
		for _, word := range args["politecrawl"] {
			words = append(words, strings.ReplaceAll(word, "$(JOB_COMPLETION_INDEX)", index))
		}
		return words
	}
	runWorkers(t, args["redis"], pod("0"), pod("1"))
}

// runWorkers runs the commands of containers twice: of Redis, and of workers on one crawl. It returns
// the directory with the directories of the workers.
func runWorkers(t *testing.T, redis []string, workers ...[]string) string {
	t.Helper()
	if len(redis) == 0 || redis[0] != "redis-server" {
		t.Fatalf("the command of Redis is %q", redis)
	}
	server, site, dir := redistest.Start(t, redis[1:]...), smallSite(t), t.TempDir()
	here := strings.NewReplacer("https://example.com/", site.url, "redis://redis", server.URL())
	for _, want := range []string{"finished", "no URLs remain"} {
		var group sync.WaitGroup
		for _, words := range workers {
			group.Go(func() {
				out, err := inShell(t, dir, here.Replace("politecrawl "+strings.Join(words, " ")), "POLITECRAWL_ALLOW_ADDR=127.0.0.0/8", "POLITECRAWL_DELAY=0s")
				if err != nil || !strings.Contains(out, want) {
					t.Errorf("%q: want %q: %v\n%s", words, want, err, out)
				}
			})
		}
		group.Wait()
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*", "pages.jsonl"))
	if err != nil || len(pages) != len(workers) {
		t.Fatalf("%q, %v", pages, err)
	}
	lines := 0
	for _, name := range pages {
		lines += len(jsonLines[output.Page](t, name))
	}
	if lines != 3 {
		t.Errorf("the workers have %d pages together", lines)
	}
	return dir
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
		case "ARG", "WORKDIR", "COPY", "RUN", "USER", "ENV", "VOLUME", "ENTRYPOINT":
			last := len(stages) - 1
			stages[last] = append(stages[last], line)
		default:
			t.Errorf("unknown instruction: %s", line)
		}
	}
	if len(stages) != 2 || stages[1][0] != "FROM scratch" {
		t.Fatalf("stages: %q", stages)
	}
	for _, line := range []string{"USER 65532:65532", "WORKDIR /crawl", "VOLUME /crawl", `ENTRYPOINT ["/politecrawl"]`, "COPY --from=build /go/bin/politecrawl /politecrawl", "COPY --from=build --chown=65532:65532 /crawl /crawl", "ENV HOME=/crawl TMPDIR=/crawl"} {
		if !slices.Contains(stages[1], line) {
			t.Errorf("the image lacks %q", line)
		}
	}
	root := t.TempDir()
	i := slices.IndexFunc(stages[0], func(line string) bool { return strings.Contains(line, "go install") })
	// make release checks the installation by version.
	build := strings.Replace(strings.TrimPrefix(stages[0][i], "RUN "), "github.com/politecrawl/politecrawl/cmd/politecrawl@$VERSION", "./cmd/politecrawl", 1)
	if out, err := inShell(t, "../../..", build, "GOBIN="+root); err != nil {
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
