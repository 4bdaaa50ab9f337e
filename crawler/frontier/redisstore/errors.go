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
	// ErrFull means that Redis has reached its maxmemory and rejects writes. The call
	// changed nothing and can be repeated when there is room. A worker should stop.
	ErrFull = errors.New("redis is full")

	// ErrEviction means that the server evicts keys when it is full (maxmemory-policy), so
	// that it would lose parts of a crawl silently.
	ErrEviction = errors.New("redis evicts keys when it is full")

	// ErrReadOnly means that the server rejects writes: it is a replica or cannot save to
	// its disk. The call changed nothing.
	ErrReadOnly = errors.New("redis is read-only")

	// ErrUnavailable means that Redis was unreachable or not ready for RetryTimeout. The
	// call may have been executed and can be repeated. Leases stay valid until they expire.
	ErrUnavailable = errors.New("redis is not available")

	// ErrNoReplicas is an ErrUnavailable: the server rejects writes, since it has fewer replicas than its
	// min-replicas-to-write.
	ErrNoReplicas = fmt.Errorf("%w: too few replicas", ErrUnavailable)

	// ErrAuthentication means that the user or the password is wrong or missing.
	ErrAuthentication = errors.New("redis rejects the login")

	// ErrPermission means that the user may not use a required command, key or channel.
	ErrPermission = errors.New("the redis user lacks permissions")

	// ErrTLS means that no TLS connection was made: a certificate is untrusted, is for
	// another name or is missing, or the server does not use TLS.
	ErrTLS = errors.New("no secure connection")

	// ErrCredentials means that a file with a password or certificate cannot be read or used.
	ErrCredentials = errors.New("bad credentials file")

	// ErrAddress means that the address of a server is invalid.
	ErrAddress = errors.New("bad address")

	// ErrNameTaken means that another process has opened the crawl under this worker's
	// name. Calls of this process have no effect any more.
	ErrNameTaken = errors.New("another process has the worker's name")

	// ErrDeleted means that an open crawl no longer exists: it was deleted, or the server lost
	// its data.
	ErrDeleted = errors.New("the crawl no longer exists in redis")

	// ErrNotFound means that there is no crawl of that name.
	ErrNotFound = errors.New("no such crawl")

	// ErrObserver means that the call is not allowed with Options.Observe.
	ErrObserver = errors.New("not allowed for an observer")

	// ErrInUse means that Delete did not delete a crawl because workers are running.
	ErrInUse = errors.New("the crawl is in use")

	// ErrFormat means that another version of this package created the crawl, or that the
	// keys of that name are not a crawl.
	ErrFormat = errors.New("incompatible format")
)

// classes are the prefixes of error replies.
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
	{"NOREPLICAS", ErrNoReplicas},
	{"MOVED ", ErrUnavailable},
	{"ASK ", ErrUnavailable},
	{"NOAUTH", ErrAuthentication},
	{"WRONGPASS", ErrAuthentication},
	{"NOPERM", ErrPermission},
	{"The user executing the script can't ", ErrPermission},
	{"TAKEN ", ErrNameTaken},
	{"GONE ", ErrDeleted},
	{"INUSE ", ErrInUse},
}

// scriptPlace matches the script and line of a failed command, which do not help users.
var scriptPlace = regexp.MustCompile(`^user_script:\d+: | script: [0-9a-f]{40}, on @user_script:\d+\.?`)

// classify returns the error with its class.
func classify(err error) error {
	if err == nil {
		return nil
	}
	if reply, ok := rueidis.IsRedisErr(err); ok {
		text := scriptPlace.ReplaceAllString(strings.TrimPrefix(reply.Error(), "ERR "), "")
		for _, c := range classes {
			// In a script the message of a command is a prefix or a suffix, depending on
			// the version of Redis.
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

// isTLS reports whether a TLS handshake failed on our side or the server's.
func isTLS(err error) bool {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	remote, isRemote := errors.AsType[*net.OpError](err)
	return untrusted || plain || isRemote && remote.Op == "remote error"
}

// isNetwork reports whether a connection failed, as opposed to a call.
func isNetwork(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	_, isNet := errors.AsType[net.Error](err)
	return isNet || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, rueidis.ErrClosing) || errors.Is(err, rueidis.ErrNoSlot)
}
