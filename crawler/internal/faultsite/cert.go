package faultsite

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

// Authority signs the certificates of a site. Whoever trusts it sees which of them are
// sound.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// NewAuthority returns a new certificate authority, which no client trusts yet.
func NewAuthority() (*Authority, error) {
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "faultsite"},
		IsCA:    true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	return new(Authority).issue(template)
}

// issue signs a certificate for a key of its own, by its own key if a has none.
func (a *Authority) issue(template *x509.Certificate) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("faultsite: %w", err)
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
		return nil, fmt.Errorf("faultsite: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("faultsite: %w", err)
	}
	return &Authority{certificate, key}, nil
}

// PEM is the certificate of the authority, as programs read it: the file of it may be
// named in SSL_CERT_FILE.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// sign returns a certificate for an address, which may be changed before it is signed.
func (a *Authority) sign(address string, change func(*x509.Certificate)) (tls.Certificate, error) {
	template := &x509.Certificate{Subject: pkix.Name{CommonName: address}, IPAddresses: []net.IP{net.ParseIP(address)}}
	if change != nil {
		change(template)
	}
	signed, err := a.issue(template)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{signed.certificate.Raw}, PrivateKey: signed.key}, nil
}

// certify gives a host the certificate that it shows, and the one that it should not.
func (h *host) certify(a *Authority, address string) error {
	good, err := a.sign(address, nil)
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
