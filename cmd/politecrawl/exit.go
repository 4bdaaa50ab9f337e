package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// The exit codes, which scripts rely on.
const (
	exitDone        = 0
	exitFindings    = 1
	exitMisuse      = 2
	exitFailed      = 3
	exitLater       = 4
	exitInterrupted = 130 // 128 + SIGINT, as shells have it
)

// exitCodesTopic is not a command but a page of help.
func exitCodesTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit code says",
		Long: `The exit code says how a command ended:

    0  done; every URL asked about is allowed
    1  findings: some URL asked about is disallowed, a sitemap or
       robots.txt is not as it should be, two robots.txt files differ in
       what they mean, the demo saw a violation
    2  misuse: a bad argument, flag, environment variable or setting, an
       invalid URL, or a file or directory that you name and that cannot
       be opened
    3  failed: the command could not do its work; the message says why
    4  later: some host cannot be asked yet (robots.txt unreachable,
       Retry-After), so its URLs must wait; of a crawl that is over: only
       such hosts were left, or --max-time ended it while the robots.txt
       of one was unreachable. At --max-pages and --max-bytes it is done
  130  interrupted: what was in flight was finished, or broken off by a
       second interrupt; the rest is left

When several are true of one run, the first of 2, 3, 1, 4, 0 is returned; what was
interrupted ends with 130 unless it failed.`,
	}
}

// An exit is an error that knows the exit code it ends the program with. With a
// nil err there is nothing to say: the results have said it.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// misuse is the error for what the user has to write differently; a file that they
// name and that cannot be opened is among it.
func misuse(format string, args ...any) error {
	return &exit{exitMisuse, fmt.Errorf(format, args...)}
}

// failed is the error for what went wrong although it was asked for rightly.
func failed(format string, args ...any) error {
	return &exit{exitFailed, fmt.Errorf(format, args...)}
}

// exitWith is the end of a command whose output has already said all.
func exitWith(code int) error {
	if code == exitDone {
		return nil
	}
	return &exit{code: code}
}

// worse returns which of two exit codes a run with both ends with.
func worse(a, b int) int {
	for _, code := range []int{exitInterrupted, exitMisuse, exitFailed, exitFindings, exitLater} {
		if a == code || b == code {
			return code
		}
	}
	return exitDone
}

// report writes err to standard error, a line for each of the errors joined in
// it, and returns the exit code.
func (p *program) report(err error) int {
	if err == nil {
		return exitDone
	}
	if e, ok := errors.AsType[*exit](err); !ok || e.err != nil {
		p.complain(err)
	}
	return exitCode(err)
}

// exitCode returns the code that a command ends with for err.
func exitCode(err error) int {
	if e, ok := errors.AsType[*exit](err); ok {
		return e.code
	}
	if errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	return exitFailed
}

// notice writes a line for a person to standard error, which others may come to see
// too. There is nobody to tell when that fails.
func (p *program) notice(line string) {
	_, _ = fmt.Fprintln(p.err, printable(secret.Users(line)))
}

// complain writes an error that does not end the command yet.
func (p *program) complain(err error) {
	for line := range strings.Lines(err.Error()) {
		p.notice("politecrawl: " + strings.TrimSuffix(line, "\n"))
	}
}
