package fetch

import (
	"cmp"
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

// A transportError describes in plain English why there is no complete response.
type transportError struct {
	text string
	err  error // of net/http
}

func (e *transportError) Error() string { return e.text }

// Unwrap returns the error of net/http.
func (e *transportError) Unwrap() error { return e.err }

// Timeout reports whether a time limit was exceeded.
func (e *transportError) Timeout() bool { return isTimeout(e.err) }

func isTimeout(err error) bool {
	t, ok := errors.AsType[net.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || ok && t.Timeout()
}

// An abortError is the cancellation cause of a request that the transport aborted.
type abortError struct{ why error }

func (e *abortError) Error() string { return e.why.Error() }

// Is makes it a cancellation.
func (e *abortError) Is(target error) bool { return target == context.Canceled }

// brokenFraming are the prefixes of net/http's errors about the framing of a body. These errors
// have no types.
var brokenFraming = []string{
	"malformed chunked encoding", "invalid byte in chunk length", "empty hex number for chunk length",
	"http chunk length too large", "header line too long", "chunked encoding contains too much non-data",
	"http: suspiciously long trailer after chunked body", "net/http: server replied with more than declared Content-Length",
}

// explain converts an error of a request to a transportError. The request has the context ctx and
// the start time began. inside means that the error occurred in the body. Errors with a clear text
// are returned unchanged. If the request was aborted, the reason is returned instead.
func explain(ctx context.Context, err error, began time.Time, inside bool) error {
	if aborted, ok := errors.AsType[*abortError](context.Cause(ctx)); ok && err != nil {
		return aborted.why
	}
	if err == nil || err == io.EOF && inside || errors.Is(err, context.Canceled) {
		return err
	}
	text := describe(ctx, err, began, inside)
	if proxy := atProxy(err); proxy != nil { // otherwise the site would seem to be down
		text = proxyName(proxy) + ": " + cmp.Or(text, strings.TrimPrefix(proxy.Error(), "unknown error "))
	}
	if text != "" {
		return &transportError{text, err}
	}
	return err
}

// atProxy returns the error of a connection to a proxy, or of a SOCKS proxy that refused to
// connect, or nil if the error has another cause.
func atProxy(err error) error {
	op, ok := errors.AsType[*net.OpError](err)
	if !ok || op.Op != "proxyconnect" && !strings.HasPrefix(op.Op, "socks ") {
		return nil
	}
	return op.Err
}

// proxyName names the proxy of an error, with its address if the connection to it failed.
func proxyName(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" && op.Addr != nil {
		return "the proxy " + op.Addr.String()
	}
	return "the proxy"
}

// describe describes an error, or returns "" if its own text is clear.
func describe(ctx context.Context, err error, began time.Time, inside bool) string {
	where := "before a response"
	if inside {
		where = "in the middle of the response"
	}
	text := strings.TrimPrefix(err.Error(), "net/http: HTTP/1.x transport connection broken: ")
	is := func(what string) bool { return strings.Contains(text, what) }
	untrusted, _ := errors.AsType[*tls.CertificateVerificationError](err)
	encoded, _ := errors.AsType[*codingError](err)
	plain, noTLS := errors.AsType[tls.RecordHeaderError](err)
	name, _ := errors.AsType[*net.DNSError](err)
	switch {
	case isTimeout(err) || is("request canceled"):
		return describeTimeout(ctx, err, text, began)
	case name != nil && name.IsNotFound:
		return fmt.Sprintf("no such host: %q", name.Name)
	case name != nil:
		return fmt.Sprintf("cannot look up host %q: %s", name.Name, name.Err)
	case untrusted != nil:
		return "the certificate is not trusted: " + packageNames.Replace(untrusted.Err.Error())
	case noTLS && plain.Conn != nil: // the first record is not TLS; in later ones Conn is nil
		return "the server does not speak TLS"
	case is("tls: "):
		return "TLS: " + text[strings.LastIndex(text, "tls: ")+len("tls: "):]
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection was reset " + where
	case encoded != nil && encoded.coding == "brotli": // its errors are codes such as PADDING_1
		return "the body is not valid brotli"
	case encoded != nil:
		return fmt.Sprintf("the body is not valid %s: %s", encoded.coding, packageNames.Replace(encoded.err.Error()))
	case is("response headers exceeded") || is("header list too large") || is("response header list larger") || is("too many 1xx"):
		return fmt.Sprintf("the header of the response is larger than %d KiB", maxHeader>>10)
	case is("request header list larger"):
		return "the header of the request is larger than the site allows"
	}
	return describeProtocol(err, text, is, where, inside)
}

// packageNames removes the names of packages from texts of the standard library.
var packageNames = strings.NewReplacer("x509: ", "", "http2: ", "", "gzip: ", "", "flate: ", "")

// describeProtocol describes how a response violates HTTP.
func describeProtocol(err error, text string, is func(string) bool, where string, inside bool) string {
	switch {
	case is("received from peer") && is("stream error"):
		_, code, _ := strings.Cut(text, "; ")
		code, _, _ = strings.Cut(code, ";")
		return fmt.Sprintf("the request was reset %s (HTTP/2: %s)", where, code)
	case is("stream error") || is("connection error"):
		return "the response is not valid HTTP/2: " + packageNames.Replace(text)
	case is("GOAWAY") || is("http2: client conn"):
		return "the connection was closed " + where
	case inside && errors.Is(err, io.ErrUnexpectedEOF):
		return "the response ends in the middle of its body"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the response ends in its header"
	case errors.Is(err, io.EOF) || is("server closed idle connection") || errors.Is(err, net.ErrClosed):
		return "the connection was closed " + where
	case is("http2: "):
		return "the response is not valid HTTP/2: " + packageNames.Replace(text)
	}
	for _, b := range brokenFraming {
		if strings.HasPrefix(text, b) {
			return "the response ends in invalid HTTP: " + strings.TrimPrefix(strings.TrimPrefix(text, "net/http: "), "http: ")
		}
	}
	if is("malformed ") || is("bad Content-Length") || is("multiple Content-Length") || is("unsupported transfer encoding") {
		return "the response is not valid HTTP: " + strings.TrimPrefix(strings.TrimPrefix(text, "net/http: "), "http: ")
	}
	return ""
}

// describeTimeout names the step that exceeded a time limit, and the limit. net/http has types for
// only some of these errors.
func describeTimeout(ctx context.Context, err error, text string, began time.Time) string {
	end := time.Now()
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(end) {
		end = deadline
	}
	took := end.Sub(began).Round(10 * time.Millisecond)
	switch {
	case IsDialing(err):
		return fmt.Sprintf("no connection within %v", took)
	case strings.Contains(text, "TLS handshake timeout"):
		return fmt.Sprintf("no TLS handshake within %v", took)
	case strings.Contains(text, "awaiting response headers"):
		return fmt.Sprintf("no response within %v (first-byte-timeout)", took)
	}
	return fmt.Sprintf("no complete response within %v", took)
}

// IsDialing reports whether an error occurred while a connection was opened, to a proxy or a server.
func IsDialing(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "dial" || IsDialing(op.Err))
}

// IsUnanswered reports whether a request failed because its connection did: no complete response
// arrived, and what arrived was valid. The site, the network or the proxy may be down.
func IsUnanswered(err error) bool {
	if explained, ok := errors.AsType[*transportError](err); ok && explained.err != nil {
		err = explained.err
	}
	if _, ok := errors.AsType[*codingError](err); ok {
		return false
	}
	for _, target := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE, errStalled, errRefusedAgain, errProxyAuth} {
		if errors.Is(err, target) {
			return true
		}
	}
	_, op := errors.AsType[*net.OpError](err)
	_, name := errors.AsType[*net.DNSError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	text := err.Error()
	is := func(what string) bool { return strings.Contains(text, what) } // these errors have no types
	return op || name || untrusted || isTimeout(err) || is("tls: ") || is("GOAWAY") || is("http2: client conn") || is("server closed idle connection")
}

// IsAtProxy reports whether a request failed because its proxy cannot be reached or rejects the login.
func IsAtProxy(err error) bool {
	proxy := atProxy(err)
	return proxy != nil && IsDialing(proxy) || errors.Is(err, errProxyAuth)
}

// Cause returns an error of a request without the URL that http.Client adds.
func Cause(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
