package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// checkOut writes what is committed in a repository into dir. It returns the time of the
// commit and its version: its tag, or its pseudo-version.
func checkOut(ctx context.Context, repository, dir string) (committed time.Time, version string, err error) {
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
		return time.Time{}, "", err
	}
	revision, date, _ := strings.Cut(strings.TrimSpace(string(head)), " ")
	if committed, err = time.Parse(time.RFC3339, date); err != nil {
		return time.Time{}, "", fmt.Errorf("time of commit %s: %w", revision, err)
	}
	tags, err := git("tag", "--points-at", "HEAD")
	if err != nil {
		return time.Time{}, "", err
	}
	version = module.PseudoVersion("v0", "", committed, revision[:12])
	for tag := range strings.FieldsSeq(string(tags)) {
		if semver.Canonical(tag) == tag {
			version = tag
		}
	}
	archive, err := git("archive", "--format=zip", "HEAD")
	if err != nil {
		return time.Time{}, "", err
	}
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return time.Time{}, "", fmt.Errorf("git archive: %w", err)
	}
	return committed.UTC(), version, os.CopyFS(dir, files)
}
