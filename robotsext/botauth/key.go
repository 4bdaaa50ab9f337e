package botauth

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"time"
)

const hidden = "[private key]"

// PrivateKey is an Ed25519 key. It never prints its secret.
type PrivateKey struct {
	// A closure hides the secret from fmt and reflection, which ignore the
	// methods of unexported fields.
	load func() ed25519.PrivateKey
	exp  int64 // of the public half, as in JWK
}

func newKey(key ed25519.PrivateKey) PrivateKey {
	return PrivateKey{load: func() ed25519.PrivateKey { return key }}
}

// Until returns the key with a public half that expires at a time, or never if exp is zero.
func (k PrivateKey) Until(exp time.Time) PrivateKey {
	k.exp = 0
	if !exp.IsZero() {
		k.exp = exp.Unix()
	}
	return k
}

// GenerateKey returns a new random key.
func GenerateKey() (PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return newKey(key), err
}

var errKey = errors.New("botauth: cannot read the private key: it is neither an Ed25519 key in PEM PKCS #8 nor a JWK")

// ParseKey reads a private key in PEM PKCS #8 or as JWK. Its errors quote nothing of the input.
func ParseKey(data []byte) (PrivateKey, error) {
	if block, _ := pem.Decode(data); block != nil {
		parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		key, ok := parsed.(ed25519.PrivateKey)
		if err != nil || !ok {
			return PrivateKey{}, errKey
		}
		return newKey(key), nil
	}
	var k struct{ Kty, Crv, X, D string }
	if json.Unmarshal(data, &k) != nil || k.Kty != "OKP" || k.Crv != "Ed25519" {
		return PrivateKey{}, errKey
	}
	seed, err := base64.RawURLEncoding.DecodeString(k.D)
	if err != nil || len(seed) != ed25519.SeedSize {
		return PrivateKey{}, errKey
	}
	key := newKey(ed25519.NewKeyFromSeed(seed))
	if key.Public().X != k.X {
		return PrivateKey{}, errKey
	}
	return key, nil
}

// PEM returns the secret in PEM PKCS #8.
func (k PrivateKey) PEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.load())
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), err
}

// JWK returns the secret as a JSON Web Key.
func (k PrivateKey) JWK() ([]byte, error) {
	return json.Marshal(struct {
		JWK
		D string `json:"d"`
	}{k.Public(), base64.RawURLEncoding.EncodeToString(k.load().Seed())})
}

// Public returns the public half as a directory lists it.
func (k PrivateKey) Public() JWK {
	public := k.load().Public().(ed25519.PublicKey)
	jwk := JWK{Kty: "OKP", Crv: "Ed25519", X: base64.RawURLEncoding.EncodeToString(public), Use: "sig", Exp: k.exp}
	jwk.Kid = jwk.Thumbprint()
	return jwk
}

// String hides the secret.
func (PrivateKey) String() string { return hidden }

// Format hides the secret from every verb.
func (PrivateKey) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue hides the secret.
func (PrivateKey) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalJSON hides the secret.
func (PrivateKey) MarshalJSON() ([]byte, error) { return json.Marshal(hidden) }

// JWK is a public JSON Web Key.
type JWK struct {
	Kty string `json:"kty"`
	Crv string `json:"crv,omitempty"`
	Kid string `json:"kid,omitempty"`
	X   string `json:"x,omitempty"`
	N   string `json:"n,omitempty"`
	E   string `json:"e,omitempty"`
	Use string `json:"use,omitempty"`
	Nbf int64  `json:"nbf,omitempty"`
	Exp int64  `json:"exp,omitempty"`
}

// Thumbprint returns the SHA-256 thumbprint of RFC 7638 and RFC 8037.
func (k JWK) Thumbprint() string {
	members := map[string]string{"kty": k.Kty, "crv": k.Crv, "x": k.X}
	if k.Kty == "RSA" {
		members = map[string]string{"kty": k.Kty, "n": k.N, "e": k.E}
	}
	canonical, _ := json.Marshal(members) // sorted, and maps of strings always marshal
	sum := sha256.Sum256(canonical)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// algorithm returns the name of the key's algorithm in RFC 9421.
func (k JWK) algorithm() string {
	if k.Kty == "RSA" {
		return "rsa-pss-sha512"
	}
	return "ed25519"
}

func (k JWK) public() (crypto.PublicKey, error) {
	decode := base64.RawURLEncoding.DecodeString
	switch {
	case k.Kty == "OKP" && k.Crv == "Ed25519":
		if x, err := decode(k.X); err == nil && len(x) == ed25519.PublicKeySize {
			return ed25519.PublicKey(x), nil
		}
	case k.Kty == "RSA":
		n, err := decode(k.N)
		e, err2 := decode(k.E)
		if err == nil && err2 == nil && len(n) >= 256 && len(n) <= 1024 && len(e) > 0 && len(e) <= 4 {
			return &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}, nil
		}
	}
	return nil, fail(Malformed, "key %q is neither Ed25519 nor RSA of 2048 to 8192 bits", k.Kid)
}

func (k JWK) verify(message, signature []byte) bool {
	public, err := k.public()
	if err != nil {
		return false
	}
	switch public := public.(type) {
	case ed25519.PublicKey:
		return ed25519.Verify(public, message, signature)
	case *rsa.PublicKey:
		return verifyPSS(public, message, signature)
	}
	return false
}
