package redisstore

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"

	"github.com/redis/rueidis"
)

var (
	// ErrFull says that Redis has used the memory that it may use (maxmemory)
	// and refuses writes. Nothing of the call was done, and it may be made
	// again when there is room. A worker that meets it should stop.
	ErrFull = errors.New("redis is full")

	// ErrEvicts says that the server forgets keys of any kind when it is full
	// (maxmemory-policy), and would lose parts of a crawl without a word.
	ErrEvicts = errors.New("redis forgets keys when it is full")

	// ErrReadOnly says that the server takes no writes: it is a replica, or
	// cannot save to its disk. Nothing of the call was done.
	ErrReadOnly = errors.New("redis is read-only")

	// ErrUnavailable says that Redis could not be reached, or was not ready,
	// for as long as Options.Patience. The call may have been done or not, and
	// can be made again. Leases that are out stay their holder's until they
	// expire.
	ErrUnavailable = errors.New("redis is not available")

	// ErrRefused says that Redis did not let us in: the user or the password is
	// wrong or missing.
	ErrRefused = errors.New("redis refuses")

	// ErrPermission says that the user may not use a command, a key or a channel
	// that is needed. Its password is right.
	ErrPermission = errors.New("the redis user lacks permissions")

	// ErrTLS says that there is no secure connection: a certificate is not
	// trusted, or is for another name, or ours is missing, or the server does
	// not speak TLS at all.
	ErrTLS = errors.New("no secure connection")

	// ErrCredentials says that a file which Options or the address name, with a
	// password or a certificate, cannot be read or used.
	ErrCredentials = errors.New("bad file of credentials")

	// ErrAddress says that an address of a server makes no sense.
	ErrAddress = errors.New("bad address")

	// ErrTaken says that another process has opened the crawl under this
	// worker's name since. What this one does no longer counts.
	ErrTaken = errors.New("another process has taken the worker's name")

	// ErrGone says that the crawl is no longer on the server: it was deleted,
	// or the server came back without its data.
	ErrGone = errors.New("the crawl is gone from redis")

	// ErrNone says that there is no crawl of that name to be joined.
	ErrNone = errors.New("no such crawl")

	// ErrObserver says that the crawl was opened with Options.Observe, and that
	// the call is one for workers.
	ErrObserver = errors.New("an observer may not do this")

	// ErrInUse says that a crawl is not deleted because somebody works on it.
	ErrInUse = errors.New("the crawl is in use")

	// ErrFormat says that the crawl was made by another version of this
	// package, or is no crawl.
	ErrFormat = errors.New("made by another version")
)

// classes are the beginnings of error replies.
var classes = []struct {
	prefix string
	class  error
}{
	{"OOM ", ErrFull},
	{"READONLY ", ErrReadOnly},
	{"MISCONF ", ErrReadOnly},
	{"LOADING ", ErrUnavailable},
	{"CLUSTERDOWN", ErrUnavailable},
	{"MASTERDOWN", ErrUnavailable},
	{"TRYAGAIN", ErrUnavailable},
	{"BUSY ", ErrUnavailable},
	{"NOREPLICAS", ErrUnavailable},
	{"MOVED ", ErrUnavailable},
	{"ASK ", ErrUnavailable},
	{"NOAUTH", ErrRefused},
	{"WRONGPASS", ErrRefused},
	{"NOPERM", ErrPermission},
	{"The user executing the script can't ", ErrPermission},
	{"TAKEN ", ErrTaken},
	{"GONE ", ErrGone},
	{"INUSE ", ErrInUse},
}

// scriptPlace matches where in which script a command has failed, which tells a person
// nothing.
var scriptPlace = regexp.MustCompile(`^user_script:\d+: | script: [0-9a-f]{40}, on @user_script:\d+\.?`)

// classify returns the error with its class.
func classify(err error) error {
	if err == nil {
		return nil
	}
	if reply, ok := rueidis.IsRedisErr(err); ok {
		text := scriptPlace.ReplaceAllString(strings.TrimPrefix(reply.Error(), "ERR "), "")
		for _, c := range classes {
			// A command that fails inside a script says so with its own words
			// in front or behind the script's, by version.
			if strings.HasPrefix(text, c.prefix) || strings.Contains(text, ": -"+c.prefix) || strings.Contains(text, ": "+c.prefix) {
				return fmt.Errorf("%w: %s", c.class, text)
			}
		}
		return fmt.Errorf("%s", text)
	}
	if isTLS(err) {
		return fmt.Errorf("%w: %w", ErrTLS, err)
	}
	if isNetwork(err) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// isTLS tells what befalls a handshake: what we found wrong, or the server did.
func isTLS(err error) bool {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	remote, isRemote := errors.AsType[*net.OpError](err)
	return untrusted || plain || isRemote && remote.Op == "remote error"
}

// isNetwork tells what befalls a connection from what befalls a call.
func isNetwork(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	_, isNet := errors.AsType[net.Error](err)
	return isNet || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, rueidis.ErrClosing) || errors.Is(err, rueidis.ErrNoSlot)
}
