package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// The exit codes, which scripts rely on.
const (
	ExitDone        = 0
	ExitFindings    = 1
	ExitMisuse      = 2
	ExitFailed      = 3
	ExitLater       = 4
	ExitInterrupted = 130 // 128 + SIGINT, as shells have it
)

// ExitCodesTopic returns the page of help about the exit codes.
func ExitCodesTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Long: `Every command ends with one of these exit codes:

    0  done: the command succeeded. All checked URLs are allowed. A crawl
       finished, reached --max-pages, --max-bytes or --max-time, or was
       stopped from the live page or with "crawl stop"
    1  findings: a checked URL or purpose is disallowed, a sitemap or
       robots.txt has faults, a record of permissions was changed, two
       robots.txt files differ, the newer of two crawls is worse, a site does
       not pass "ci", an archive or an identity has a problem, or the demo
       found a violation
    2  usage error: an invalid argument, flag, variable, setting or URL, or
       a file or directory that cannot be opened
    3  failed: the command could not do its work; the message says why.
       "ci" also returns 3 if a limit ended its crawl
    4  later: a host allows no request yet (robots.txt unreachable,
       Retry-After). A crawl returns 4 if only such hosts remain, or if it
       reaches --max-time while a robots.txt is unreachable
  130  interrupted: the first interrupt finished the requests in flight,
       a second one aborted them; URLs remain

If several apply, the command returns the first of 2, 3, 1, 4, 0. An interrupted command
returns 130 unless it failed.`,
	}
}

// An ExitError is an error with the exit code of the program. If err is nil, the program
// prints no message.
type ExitError struct {
	Code int
	err  error
}

func (e *ExitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.err.Error()
}

func (e *ExitError) Unwrap() error { return e.err }

// WithCode returns err as an error that ends the program with code.
func WithCode(code int, err error) error { return &ExitError{code, err} }

// Misuse returns a usage error, such as for a file that cannot be opened.
func Misuse(format string, args ...any) error {
	return WithCode(ExitMisuse, fmt.Errorf(format, args...))
}

// AllMisuse joins usage errors into one. It returns nil if there are none.
func AllMisuse(bad []error) error {
	if err := errors.Join(bad...); err != nil {
		return WithCode(ExitMisuse, err)
	}
	return nil
}

// Failed returns an error for a correct command that could not do its work.
func Failed(format string, args ...any) error {
	return WithCode(ExitFailed, fmt.Errorf(format, args...))
}

// ExitWith returns the error that ends a command with code and without a message, or nil for
// ExitDone.
func ExitWith(code int) error {
	if code == ExitDone {
		return nil
	}
	return &ExitError{Code: code}
}

// Worse returns the exit code of a command to which both codes apply.
func Worse(a, b int) int {
	for _, code := range []int{ExitInterrupted, ExitMisuse, ExitFailed, ExitFindings, ExitLater} {
		if a == code || b == code {
			return code
		}
	}
	return ExitDone
}

// report writes err to standard error, one line for each joined error, and returns the exit
// code.
func (s *Streams) report(err error) int {
	if err == nil {
		return ExitDone
	}
	if e, ok := errors.AsType[*ExitError](err); !ok || e.err != nil {
		s.Complain(err)
	}
	return ExitCode(err)
}

// ExitCode returns the code that a command ends with for err.
func ExitCode(err error) int {
	if e, ok := errors.AsType[*ExitError](err); ok {
		return e.Code
	}
	if errors.Is(err, context.Canceled) {
		return ExitInterrupted
	}
	return ExitFailed
}
