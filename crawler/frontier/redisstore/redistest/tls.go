package redistest

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// An Authority is a certificate authority for tests.
type Authority struct {
	// CAFile is the path of its own certificate.
	CAFile string

	authority *testserver.Authority
	dir       string
}

// NewAuthority creates a certificate authority.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	authority, err := testserver.NewAuthority()
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	a := &Authority{authority: authority, dir: t.TempDir()}
	a.CAFile = a.write(t, "ca", a.authority.PEM())
	return a
}

// Certificate creates a certificate for a host name or an IP address, and returns the paths of the
// certificate and its key.
func (a *Authority) Certificate(t testing.TB, name string) (certFile, keyFile string) {
	t.Helper()
	pair, err := a.authority.Sign(name, nil)
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	return a.write(t, name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})),
		a.write(t, name+" key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
}

// StartTLS starts a server that accepts TLS connections only, with a certificate for a name.
func (a *Authority) StartTLS(t testing.TB, name string, options ...string) *Server {
	t.Helper()
	certFile, keyFile := a.Certificate(t, name)
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.authority.PEM())
	return start(t, func(s *Server) {
		s.tls = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, ServerName: name, Certificates: []tls.Certificate{pair}}
		s.options = append([]string{
			"--tls-cert-file", certFile, "--tls-key-file", keyFile, "--tls-ca-cert-file", a.CAFile,
		}, options...)
	})
}

func (a *Authority) write(t testing.TB, name string, text []byte) string {
	t.Helper()
	file := filepath.Join(a.dir, name+".pem")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatalf("redistest: %v", err)
	}
	return file
}
