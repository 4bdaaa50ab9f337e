package testserver

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// An Authority signs certificates.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// NewAuthority returns a new certificate authority, which no client trusts yet.
func NewAuthority() (*Authority, error) {
	return new(Authority).issue(&x509.Certificate{
		Subject: pkix.Name{CommonName: "test authority"},
		IsCA:    true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
}

// issue signs a certificate for a key of its own, by its own key if a has none.
func (a *Authority) issue(template *x509.Certificate) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("testserver: %w", err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore = cmp.Or(template.NotBefore, time.Now().Add(-time.Hour))
	template.NotAfter = cmp.Or(template.NotAfter, time.Now().Add(7*24*time.Hour))
	parent, signer := a.certificate, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return nil, fmt.Errorf("testserver: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("testserver: %w", err)
	}
	return &Authority{certificate, key}, nil
}

// PEM returns the certificate of the authority as programs read it, for example from the file that
// SSL_CERT_FILE names.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// Sign returns a certificate for a host name or an IP address. If change is not nil, it changes the
// certificate before it is signed.
func (a *Authority) Sign(name string, change func(*x509.Certificate)) (tls.Certificate, error) {
	template := &x509.Certificate{Subject: pkix.Name{CommonName: name}}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	if change != nil {
		change(template)
	}
	signed, err := a.issue(template)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{signed.certificate.Raw}, PrivateKey: signed.key}, nil
}
