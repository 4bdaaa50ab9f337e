package identity

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler/identity"
	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

// parseRequest parses a captured HTTP/1.1 request. The empty line at the end and the body may be missing.
func parseRequest(text []byte) (*http.Request, error) {
	text = append(bytes.TrimLeft(text, "\r\n"), "\r\n\r\n"...)
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(text)))
	if err != nil {
		return nil, fmt.Errorf("there is no HTTP/1.1 request in it: %w; write the request line and the header fields, one a line", err)
	}
	if req.Host == "" {
		return nil, errors.New("the request has no Host, which its signature covers; add the field")
	}
	return req, nil
}

// checkRequest verifies a captured request.
func (c *check) checkRequest(ctx context.Context, name string) error {
	text, err := cli.ReadInput(name, c.In)
	if err != nil {
		return fmt.Errorf("identity check: %w", err)
	}
	req, err := parseRequest(text)
	if err != nil {
		return cli.Misuse("identity check: %s: %w", cli.InputName(name), err)
	}
	agent, err := agentOf(req)
	if err != nil {
		return c.refused(err)
	}
	dir, err := c.keys(ctx, agent)
	if err != nil || dir == nil {
		return err
	}
	dir.URL = agent
	id, err := botauth.Verify(req, dir, &botauth.VerifyOptions{Now: c.now})
	if err != nil {
		return c.refused(err)
	}
	return c.ok("the request to %s is signed by key %s of %s", req.Host, id.KeyID, id.Agent)
}

// agentOf returns the Signature-Agent of a request that names a key directory.
func agentOf(req *http.Request) (string, error) {
	switch values := req.Header.Values("Signature-Agent"); {
	case req.Header.Get("Signature") == "" || req.Header.Get("Signature-Input") == "":
		return "", botauth.Unsigned
	case len(values) == 0:
		return "", fmt.Errorf("%w: there is no Signature-Agent", botauth.WrongComponent)
	case strings.HasPrefix(strings.TrimSpace(values[0]), `"`):
		return "", botauth.LegacyAgent
	default:
		agents, err := botauth.ParseAgents(values)
		if err != nil {
			return "", err
		}
		for _, a := range agents {
			if a.Type == "directory" || a.Type == "jwks_uri" {
				return a.URI, nil
			}
		}
		return "", fmt.Errorf("%w: Signature-Agent names no key directory", botauth.WrongAgent)
	}
}

// keys returns the keys of --directory or of an agent, or nil after it has reported a problem.
func (c *check) keys(ctx context.Context, agent string) (*botauth.Directory, error) {
	if c.directory != "" {
		body, err := cli.ReadInput(c.directory, c.In)
		if err != nil {
			return nil, fmt.Errorf("identity check: --directory: %w", err)
		}
		dir, err := botauth.ParseDirectory(body)
		if err != nil {
			return nil, cli.Misuse("identity check: --directory %q: %w", c.directory, err)
		}
		return dir, nil
	}
	from := identity.DirectoryURL(agent)
	u, err := url.Parse(from)
	if err != nil {
		return nil, cli.Misuse("identity check: %q is not a URL", from)
	}
	resp, err := c.get(ctx, from)
	if err != nil {
		return nil, err
	}
	if found, err := c.checkDirectory(u, resp); err != nil || !found {
		return nil, err
	}
	dir, err := botauth.ParseDirectory(resp.body)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // checkDirectory has reported it
	}
	return dir, nil
}

// reasons says what to do about a request that is refused.
var reasons = []struct {
	reason botauth.Reason
	advice string
}{
	{botauth.Unsigned, "crawl with --identity DIR, and capture the request with the fields Signature, Signature-Input and Signature-Agent"},
	{botauth.DuplicateLabel, "give each signature a label of its own"},
	{botauth.WrongTag, "sign with tag=\"web-bot-auth\""},
	{botauth.WrongComponent, "cover \"@authority\" and the member of Signature-Agent, and capture every field that is covered"},
	{botauth.WrongParameter, "set created, expires and keyid, with expires after created"},
	{botauth.Expired, "check the request within minutes after it was sent, and the clock of the crawler"},
	{botauth.NotYetValid, "set the clock of the crawler, or of this machine"},
	{botauth.LegacyAgent, "send Signature-Agent as a dictionary, such as sig1=\"https://bot.example.com\""},
	{botauth.WrongAgent, "name the URL at which the keys are published in Signature-Agent"},
	{botauth.UnknownKey, "publish the key: run \"politecrawl identity show DIR\" and upload public/; after a rotation, upload it at once"},
	{botauth.WrongAlgorithm, "sign with the algorithm of the key: alg=\"ed25519\" for Ed25519"},
	{botauth.WrongSignature, "capture the request as it was sent: Host and the covered fields must not change on the way"},
	{botauth.Malformed, "write the field as RFC 9421 and RFC 8941 say"},
}

// refused reports why a site refuses a request.
func (c *check) refused(err error) error {
	for _, r := range reasons {
		if errors.Is(err, r.reason) {
			return c.problem(r.advice, "sites refuse the request: %s", strings.TrimPrefix(err.Error(), "botauth: "))
		}
	}
	return c.problem("", "sites refuse the request: %v", err)
}
