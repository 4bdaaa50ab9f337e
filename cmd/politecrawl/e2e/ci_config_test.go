package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The scripts of configs/ci run as they are: first without a baseline, then with the crawl of the
// first run, on a build that broke a link.
func TestConfigsForCI(t *testing.T) {
	var github struct {
		On          map[string]any    `yaml:"on"`
		Permissions map[string]string `yaml:"permissions"`
		Jobs        map[string]struct {
			RunsOn string            `yaml:"runs-on"`
			Env    map[string]string `yaml:"env"`
			Steps  []struct {
				Name, Uses, Run string
				With            map[string]string
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	var gitlab map[string]struct {
		Variables map[string]string `yaml:"variables"`
		Cache     struct {
			Key, Policy string
			Paths       []string
		}
		Rules []struct {
			If        string
			Variables map[string]string
		}
		Script    []string `yaml:"script"`
		After     []string `yaml:"after_script"`
		Artifacts struct {
			When    string `yaml:"when"`
			Reports map[string]string
		} `yaml:"artifacts"`
	}
	for file, into := range map[string]any{"github.yml": &github, "gitlab.yml": &gitlab} {
		if err := yaml.Unmarshal([]byte(readText(t, filepath.Join("..", "..", "..", "configs", "ci", file))), into); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	job := github.Jobs["check"]
	if len(github.On) != 2 || github.Permissions["contents"] != "read" || job.RunsOn == "" {
		t.Errorf("github.yml: %+v", github)
	}
	script, store := "", false
	for _, step := range job.Steps {
		if strings.Contains(step.Run, "politecrawl ci ") {
			script = step.Run
		}
		store = store || strings.HasPrefix(step.Uses, "actions/upload-artifact@") && step.With["name"] == "crawl" && step.With["path"] == "crawl"
	}
	if script == "" || !store {
		t.Fatalf("github.yml: script %q, stores the crawl: %v", script, store)
	}
	t.Run("github", func(t *testing.T) {
		runGate(t, script, "mv crawl baseline", job.Env["SITE"], "::error file=public/index.html,line=2,title=Broken links::")
	})
	check := gitlab["check-site"]
	if len(check.Script) != 1 || len(check.After) != 1 || check.Artifacts.When != "always" || check.Artifacts.Reports["junit"] != "junit.xml" {
		t.Fatalf("gitlab.yml: %+v", gitlab)
	}
	// The baseline of merge requests is the crawl of the default branch, which they must not write.
	if c := check.Cache; c.Policy != "$CACHE_POLICY" || check.Variables["CACHE_POLICY"] != "pull" || !strings.Contains(c.Key, "$CI_DEFAULT_BRANCH") || !slices.Equal(c.Paths, []string{"baseline/"}) {
		t.Errorf("gitlab.yml: cache %+v, variables %v", c, check.Variables)
	}
	for _, rule := range check.Rules {
		if policy, isDefault := rule.Variables["CACHE_POLICY"], rule.If == "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"; isDefault != (policy == "pull-push") || !isDefault && policy != "" {
			t.Errorf("gitlab.yml: if %s, the cache policy is %q", rule.If, policy)
		}
	}
	t.Run("gitlab", func(t *testing.T) {
		runGate(t, check.Script[0], "CI_COMMIT_BRANCH=main CI_DEFAULT_BRANCH=main\n"+check.After[0], check.Variables["SITE"], "  error  public/index.html:2: Broken links: ")
	})
}

// runGate runs the script of a gate on two builds, and keep after the first one. The output of the
// second run has the text want.
func runGate(t *testing.T, script, keep, site, want string) {
	t.Helper()
	dir := t.TempDir()
	sh := func(script string) (string, error) {
		cmd := exec.Command("/bin/sh", "-e", "-c", script)
		cmd.Dir, cmd.Env = dir, append(asCommand(t), "SITE="+site)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if err := os.Mkdir(filepath.Join(dir, "public"), 0o755); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "public", "index.html")
	if err := os.WriteFile(page, []byte("<title>Home</title>\n<h1>Home</h1>\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := sh(script); err != nil || !strings.Contains(out, "passed: no error, 1 notice; 1 page in ") {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := sh(keep + "\nrm -rf crawl"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(page, []byte("<title>Home</title>\n<h1><a href=\"/missing\">Home</a></h1>\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := sh(script); err == nil || !strings.Contains(out, want) || !strings.Contains(out, "failed: 1 new error; 2 pages in ") {
		t.Errorf("%v\n%s", err, out)
	}
	if text := readText(t, filepath.Join(dir, "junit.xml")); !strings.Contains(text, "broken-link") {
		t.Errorf("JUnit: %s", text)
	}
}
