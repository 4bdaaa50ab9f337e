package crawler

import (
	"cmp"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"
)

// trouble is why there is no answer, or not all of one, in words for the person who
// reads it in a record. What net/http says is behind it.
type trouble struct {
	says string
	err  error
}

func (t *trouble) Error() string { return t.says }

// Unwrap returns the error as it came.
func (t *trouble) Unwrap() error { return t.err }

// Timeout tells whether a time limit was met.
func (t *trouble) Timeout() bool { return timedOut(t.err) }

func timedOut(err error) bool {
	t, ok := errors.AsType[net.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || ok && t.Timeout()
}

// broken are what net/http says of the framing of a body, by how it begins. It has no
// other names for them.
var broken = []string{
	"malformed chunked encoding", "invalid byte in chunk length", "empty hex number for chunk length",
	"http chunk length too large", "header line too long", "chunked encoding contains too much non-data",
	"http: suspiciously long trailer after chunked body", "net/http: server replied with more than declared Content-Length",
}

// explained is an error of a request under ctx, which began at a time, as trouble. Inside
// tells whether it came in the middle of the body. What has words of its own keeps them.
func explained(ctx context.Context, err error, began time.Time, inside bool) error {
	if err == nil || err == io.EOF && inside || errors.Is(err, context.Canceled) {
		return err
	}
	says := inWords(ctx, err, began, inside)
	if proxy := atProxy(err); proxy != nil { // or the site would be taken to be down
		says = "the proxy: " + cmp.Or(says, strings.TrimPrefix(proxy.Error(), "unknown error "))
	}
	if says != "" {
		return &trouble{says, err}
	}
	return err
}

// atProxy returns what went wrong on the way to a proxy, or what that said of the way on
// (SOCKS); nil: nothing did.
func atProxy(err error) error {
	op, ok := errors.AsType[*net.OpError](err)
	if !ok || op.Op != "proxyconnect" && !strings.HasPrefix(op.Op, "socks ") {
		return nil
	}
	return op.Err
}

func inWords(ctx context.Context, err error, began time.Time, inside bool) string {
	where := "before an answer came"
	if inside {
		where = "in the middle of the answer"
	}
	text := strings.TrimPrefix(err.Error(), "net/http: HTTP/1.x transport connection broken: ")
	is := func(what string) bool { return strings.Contains(text, what) }
	untrusted, _ := errors.AsType[*tls.CertificateVerificationError](err)
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	plain, noTLS := errors.AsType[tls.RecordHeaderError](err)
	name, _ := errors.AsType[*net.DNSError](err)
	switch {
	case timedOut(err) || is("request canceled"):
		return tooLong(ctx, err, text, began)
	case name != nil && name.IsNotFound:
		return fmt.Sprintf("there is no host %q", name.Name)
	case name != nil:
		return fmt.Sprintf("the host %q could not be looked up: %s", name.Name, name.Err)
	case untrusted != nil:
		return "the certificate is not to be trusted: " + cause(untrusted).Error()
	case noTLS && plain.Conn != nil: // a first record that is none; later ones come with nil
		return "what answers does not speak TLS"
	case is("tls: "):
		return "TLS: " + text[strings.LastIndex(text, "tls: ")+len("tls: "):]
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection was reset " + where
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), corrupt:
		return "the body is no whole gzip, as it says that it is: " + cause(err).Error()
	case is("response headers exceeded") || is("header list too large") || is("response header list larger") || is("too many 1xx"):
		return fmt.Sprintf("the header of the answer is larger than %d KiB", maxHeader>>10)
	case is("request header list larger"):
		return "the header of the request is larger than the site allows"
	}
	return protocol(err, text, is, where, inside)
}

// protocol puts words on what goes against HTTP.
func protocol(err error, text string, is func(string) bool, where string, inside bool) string {
	switch {
	case is("received from peer") && is("stream error"):
		_, code, _ := strings.Cut(text, "; ")
		code, _, _ = strings.Cut(code, ";")
		return fmt.Sprintf("the request was reset %s (HTTP/2: %s)", where, code)
	case is("stream error") || is("connection error"):
		return "what came is not HTTP/2: " + text
	case is("GOAWAY") || is("http2: client conn"):
		return "the connection was closed " + where
	case inside && errors.Is(err, io.ErrUnexpectedEOF):
		return "the answer breaks off in the middle"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the answer breaks off in its header"
	case errors.Is(err, io.EOF) || is("server closed idle connection") || errors.Is(err, net.ErrClosed):
		return "the connection was closed " + where
	case is("http2: "):
		return "what came is not HTTP/2: " + strings.TrimPrefix(text, "http2: ")
	}
	for _, b := range broken {
		if strings.HasPrefix(text, b) {
			return "the answer breaks off in what is not HTTP: " + strings.TrimPrefix(strings.TrimPrefix(text, "net/http: "), "http: ")
		}
	}
	if is("malformed ") || is("bad Content-Length") || is("multiple Content-Length") || is("unsupported transfer encoding") {
		return "what came is not HTTP: " + strings.TrimPrefix(strings.TrimPrefix(text, "net/http: "), "http: ")
	}
	return ""
}

// tooLong says what had not come when a time limit was met, and how long that took. What
// net/http has no other name for is told by its text.
func tooLong(ctx context.Context, err error, text string, began time.Time) string {
	end := time.Now()
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(end) {
		end = deadline
	}
	took := end.Sub(began).Round(10 * time.Millisecond)
	switch {
	case dialling(err):
		return fmt.Sprintf("no connection within %v", took)
	case strings.Contains(text, "TLS handshake timeout"):
		return fmt.Sprintf("no TLS handshake within %v", took)
	case strings.Contains(text, "awaiting response headers"):
		return fmt.Sprintf("no answer began within %v (first-byte-timeout)", took)
	}
	return fmt.Sprintf("no whole answer within %v", took)
}

// dialling tells whether an error is of making a connection, to a proxy or without one.
func dialling(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "dial" || dialling(op.Err))
}

// inShort is an error of a request without what http.Client says around it: the URL, which
// the record has, and whose time limit it was.
func inShort(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if says, _, cut := strings.Cut(err.Error(), " (Client.Timeout"); cut {
		return &trouble{says, err}
	}
	return err
}
