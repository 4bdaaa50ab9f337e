package identity

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

// soon is the time before the end of a signature in which it should be renewed.
const soon = 7 * 24 * time.Hour

const (
	adviseUpload = "upload the directory public/ of the identity again, with .well-known and the header fields in _headers or nginx.conf"
	adviseRenew  = "run \"politecrawl identity show DIR\" and upload public/ again"
)

// checkHost checks what the host of an identity publishes.
func (c *check) checkHost(ctx context.Context, raw string) error {
	if _, err := site.ParseOrigin(raw); err != nil {
		return cli.Misuse("identity check: %w", err)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return cli.Misuse("identity check: %q is not a URL", raw)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = botauth.DirectoryPath
	}
	if u.Scheme != "https" {
		if err := c.problem("serve it by https", "%s is not an https URL; sites fetch keys by https only", u); err != nil {
			return err
		}
	}
	resp, err := c.get(ctx, u.String())
	if err != nil {
		return err
	}
	_, err = c.checkDirectory(u, resp)
	return err
}

// checkDirectory checks a key directory. found is false if there is none.
func (c *check) checkDirectory(u *url.URL, resp response) (found bool, err error) {
	switch {
	case resp.status >= 300 && resp.status < 400:
		return false, c.problem("serve the key directory at this URL itself", "%s redirects to %s; sites follow no redirect of a key directory", u, resp.header.Get("Location"))
	case resp.status != http.StatusOK:
		return false, c.problem(adviseUpload, "%s has the status %d, and must have 200", u, resp.status)
	case len(resp.body) > maxBody:
		return false, c.problem("remove keys that no longer sign", "%s has more than %d bytes; sites refuse it", u, maxBody)
	}
	err = c.ok("%s has the status 200 and %d bytes", u, len(resp.body))
	if kind, _, parseErr := mime.ParseMediaType(resp.header.Get("Content-Type")); u.Path == botauth.DirectoryPath && (parseErr != nil || kind != botauth.DirectoryType) {
		err = errors.Join(err, c.problem("set the field as in _headers or nginx.conf of the identity", "Content-Type is %q, and must be %s", resp.header.Get("Content-Type"), botauth.DirectoryType))
	}
	var dir struct {
		Keys []botauth.JWK `json:"keys"`
	}
	if bad := json.Unmarshal(resp.body, &dir); bad != nil || dir.Keys == nil {
		return false, errors.Join(err, c.problem(adviseUpload, "the key directory is not a JSON object with \"keys\""))
	}
	usable := 0
	for _, k := range dir.Keys {
		good, reportErr := c.checkKey(k)
		err = errors.Join(err, reportErr)
		if good {
			usable++
		}
	}
	if usable == 0 {
		err = errors.Join(err, c.problem(adviseRenew, "the key directory has no key that is valid now"))
	}
	return true, errors.Join(err, c.checkSigned(u, resp, usable))
}

// checkKey checks one key of a directory, and reports whether it is valid now.
func (c *check) checkKey(k botauth.JWK) (good bool, err error) {
	id, now := k.Thumbprint(), c.now()
	one, _ := json.Marshal(botauth.Directory{Keys: []botauth.JWK{k}})
	parsed, bad := botauth.ParseDirectory(one)
	switch {
	case k.Kty != "RSA" && k.Crv != "Ed25519":
		return false, c.note("", "a key of the type %s %s is ignored; most sites verify Ed25519", k.Kty, k.Crv)
	case k.Kid != "" && k.Kid != id:
		return false, c.problem("write the thumbprint as kid, or leave kid out", "the key id %q is not the thumbprint of its key, %s; sites do not find the key", k.Kid, id)
	case bad != nil || len(parsed.Keys) == 0:
		return false, c.problem(adviseRenew, "key %s is not valid: %v", id, bad)
	case k.Exp != 0 && k.Exp <= now.Unix():
		return false, c.problem(adviseRenew, "key %s expired on %s", id, humanize.Time(time.Unix(k.Exp, 0)))
	case k.Nbf > now.Unix():
		return false, c.note("", "key %s is valid from %s", id, humanize.Time(time.Unix(k.Nbf, 0)))
	case k.Exp != 0:
		return true, c.ok("key %s is valid until %s", id, humanize.Time(time.Unix(k.Exp, 0)))
	}
	return true, c.ok("key %s is valid, and its id is its thumbprint", id)
}

// checkSigned checks the signatures of a key directory by its own keys.
func (c *check) checkSigned(u *url.URL, resp response, usable int) error {
	now := c.now()
	dir, err := botauth.VerifyDirectory(u.Host, resp.header, resp.body, now)
	switch {
	case errors.Is(err, botauth.WrongDigest) && resp.header.Get("Signature") != "":
		return c.problem(adviseUpload+"; a server that changes or compresses the file must not", "Content-Digest does not match the key directory")
	case errors.Is(err, botauth.Unsigned), errors.Is(err, botauth.WrongDigest):
		return c.problem("send the fields Content-Digest, Signature-Input and Signature as in _headers or nginx.conf of the identity", "the key directory is not signed by its keys; some sites refuse it")
	case errors.Is(err, botauth.Expired):
		return c.problem(adviseRenew, "the signature of the key directory has expired")
	case err != nil:
		return c.problem(adviseUpload, "the signature of the key directory is not valid: %v", err)
	case len(dir.Keys) < usable:
		return c.problem(adviseRenew, "the key directory is signed by %d of its %d valid keys; sites ignore the others", len(dir.Keys), usable)
	}
	if later, err := botauth.VerifyDirectory(u.Host, resp.header, resp.body, now.Add(soon)); errors.Is(err, botauth.Expired) || err == nil && len(later.Keys) == 0 {
		return c.note(adviseRenew, "the key directory is signed by its keys, but only for less than 7 more days")
	}
	return c.ok("the key directory is signed by all its valid keys")
}
