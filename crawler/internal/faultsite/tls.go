package faultsite

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// A connect breaks a connection before a request is read.
type connect func(x *exchange)

// A secure makes the TLS configuration of a faulty host.
type secure func(a *testserver.Authority, address string) (*tls.Config, error)

// insecure returns the faults of TLS and of connections without a request. If they affect a page
// or sitemap, robots.txt uses another connection.
func insecure() []*Fault {
	cert := func(change func(*x509.Certificate)) secure {
		return func(a *testserver.Authority, address string) (*tls.Config, error) {
			c, err := a.Sign(address, change)
			return &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}, err
		}
	}
	unknown := func(_ *testserver.Authority, address string) (*tls.Config, error) {
		stranger, err := testserver.NewAuthority()
		if err != nil {
			return nil, err
		}
		return cert(nil)(stranger, address)
	}
	old := func(a *testserver.Authority, address string) (*tls.Config, error) {
		config, err := cert(nil)(a, address)
		if err == nil {
			config.MinVersion, config.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 // what is wrong with it
		}
		return config, err
	}
	spoil := func(name, does, says string, how secure) *Fault {
		f := noResponse(name, does, says, nil)
		f.secure = how
		return f
	}
	cut := func(name, does, says string, how connect) *Fault {
		f := spoil(name, does, says, cert(nil))
		f.connect = how
		return f
	}
	plain := func(name, does, says string, how connect) *Fault {
		f := noResponse(name, does, says, nil)
		f.connect = how
		return f
	}
	return []*Fault{
		spoil("expired-certificate", "shows a certificate that has expired", "expired",
			cert(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })),
		spoil("early-certificate", "shows a certificate that is not valid yet", "not yet valid",
			cert(func(c *x509.Certificate) { c.NotBefore = time.Now().Add(3 * 24 * time.Hour) })),
		spoil("wrong-name", "shows a certificate of another name", "certificate is valid for",
			cert(func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(192, 0, 2, 1)} })),
		spoil("unknown-authority", "has a certificate of an unknown authority", "unknown authority", unknown),
		spoil("old-tls", "speaks TLS 1.1 at most", "protocol version", old),
		// If the client has sent something meanwhile that was not read, this becomes a reset.
		cut("handshake-closed", "closes the connection in the middle of the handshake", "before a response", func(x *exchange) {
			x.wait(byteInterval)
		}),
		cut("handshake-reset", "resets the connection in the middle of the handshake", "reset", func(x *exchange) {
			x.wait(byteInterval)
			x.peer.reset()
		}),
		endless(cut("handshake-silent", "says nothing in the handshake", "within", func(x *exchange) { hang.of(x) })),
		cut("handshake-garbage", "answers the handshake with what is no TLS", "TLS", func(x *exchange) {
			x.send("HTTP/1.1 400 Bad Request\r\n\r\nThis is a plain port.\r\n")
			x.wait(linger)
		}),
		plain("closed-at-once", "closes each connection as soon as it is there", "the connection was", func(*exchange) {}),
		plain("reset-at-once", "resets each connection as soon as it is there", "reset", func(x *exchange) { x.peer.reset() }),
	}
}

// certify gives a host the certificate that it shows, and the one that it should not.
func (h *host) certify(a *testserver.Authority, address string) error {
	good, err := a.Sign(address, nil)
	if err != nil {
		return err
	}
	h.good = &tls.Config{Certificates: []tls.Certificate{good}, MinVersion: tls.VersionTLS12}
	if h.fault.act2 != nil {
		h.good.NextProtos = []string{"h2", "http/1.1"}
	}
	if h.fault.secure != nil {
		h.bad, err = h.fault.secure(a, address)
	}
	return err
}
