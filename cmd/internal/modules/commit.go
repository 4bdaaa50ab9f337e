package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A commit is the HEAD of a repository.
type commit struct {
	time    time.Time
	version string            // its tag, or its pseudo-version
	files   map[string][]byte // by path
}

// readCommit reads what is committed in a repository.
func readCommit(ctx context.Context, repository string) (*commit, error) {
	git := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", repository, "-c", "core.autocrlf=false"}, args...)...) //nolint:gosec // arguments of this program
		out, err := cmd.Output()
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(failed.Stderr))
		}
		if err != nil {
			return nil, fmt.Errorf("git %s: %w", args[0], err)
		}
		return out, nil
	}
	head, err := git("log", "-1", "--format=%H %cI")
	if err != nil {
		return nil, err
	}
	revision, date, _ := strings.Cut(strings.TrimSpace(string(head)), " ")
	committed, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return nil, fmt.Errorf("time of commit %s: %w", revision, err)
	}
	tags, err := git("tag", "--points-at", "HEAD")
	if err != nil {
		return nil, err
	}
	archive, err := git("archive", "--format=tar", "HEAD")
	if err != nil {
		return nil, err
	}
	c := &commit{
		time: committed.UTC(), version: module.PseudoVersion("v0", "", committed, revision[:12]),
		files: make(map[string][]byte),
	}
	for tag := range strings.FieldsSeq(string(tags)) {
		if semver.Canonical(tag) == tag {
			c.version = tag
		}
	}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return nil, fmt.Errorf("git archive: %w", err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if c.files[h.Name], err = io.ReadAll(r); err != nil {
			return nil, fmt.Errorf("git archive: %s: %w", h.Name, err)
		}
	}
}
