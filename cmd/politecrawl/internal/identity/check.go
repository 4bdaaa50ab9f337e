package identity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

// A check is one run of "identity check".
type check struct {
	*cli.Streams
	directory string   // --directory
	allowed   []string // --allow-addr
	format    cli.Format

	now    func() time.Time
	client *http.Client
	code   int
}

// A finding is one line of the result.
type finding struct {
	Level  string `json:"level"` // ok, note or problem
	Text   string `json:"text"`
	Advice string `json:"advice,omitempty"`
}

const (
	levelOK      = "ok"
	levelNote    = "note"
	levelProblem = "problem"
)

func checkCommand(streams *cli.Streams, now func() time.Time) *cobra.Command {
	c := &check{Streams: streams, now: now}
	cmd := &cobra.Command{
		Use:   "check URL|FILE|-",
		Short: "Check a published key directory, or a captured request",
		Long: `Check the key directory that a host publishes, or the signature of a captured request, and
say what is wrong, why and what to do.

A URL names the host of an identity, or the key directory itself. The command requests the
key directory. It follows no redirects, as sites that verify signatures follow none.

Anything else is the name of a file with a captured HTTP/1.1 request: the request line and
the header fields. -: standard input. The command requests the key directory that
Signature-Agent names, or reads the file of --directory. A signature is valid for minutes, so
check a request at once.

--format json writes an object for each finding on a line of its own:

    level           ok, note or problem
    text            what was found
    advice          what to do, for problems and some notes

Exit code: 0 no problems, 1 problems, 2 usage error or no request in the file, 3 the key
directory could not be requested.`,
		Example: `  politecrawl identity check https://bot.example.com/
  politecrawl identity check request.txt
  politecrawl identity check - --directory identity/public/.well-known/http-message-signatures-directory`,
		Args: cli.Args(1, 1, "a URL, or a file with a captured request"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args[0]) },
	}
	c.format.AddFlag(cmd)
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&c.directory, "directory", "", "verify a request with the key directory in `FILE`")
	flags.Add(fs, flags.AllowAddr, &c.allowed)
	return cmd
}

func (c *check) run(ctx context.Context, arg string) error {
	g, err := site.NewGuard(c.allowed)
	if err != nil {
		return err
	}
	base := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: timeout, ForceAttemptHTTP2: true}
	c.client = &http.Client{
		Timeout: timeout, Transport: g.Transport(base, &net.Dialer{Timeout: timeout}),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if strings.Contains(arg, "://") {
		if c.directory != "" {
			return cli.Misuse("identity check: --directory is for a captured request; give either it or a URL")
		}
		err = c.checkHost(ctx, arg)
	} else {
		err = c.checkRequest(ctx, arg)
	}
	if err != nil {
		return err
	}
	return cli.ExitWith(c.code)
}

const (
	timeout = 30 * time.Second
	maxBody = 64 << 10 // of a published file
)

func (c *check) report(f finding) error {
	if f.Level == levelProblem {
		c.code = cli.Worse(c.code, cli.ExitFindings)
	}
	tint := map[string]cli.Color{levelOK: cli.Green, levelNote: cli.Yellow, levelProblem: cli.Red}[f.Level]
	text := fmt.Sprintf("%s %s\n", c.Painter()(tint, fmt.Sprintf("%-8s", f.Level)), cli.Escape(f.Text))
	if f.Advice != "" {
		text += "         " + cli.Escape(f.Advice) + "\n"
	}
	return c.PrintAs(c.format, f, text)
}

func (c *check) ok(format string, args ...any) error {
	return c.report(finding{Level: levelOK, Text: fmt.Sprintf(format, args...)})
}

func (c *check) note(advice, format string, args ...any) error {
	return c.report(finding{levelNote, fmt.Sprintf(format, args...), advice})
}

func (c *check) problem(advice, format string, args ...any) error {
	return c.report(finding{levelProblem, fmt.Sprintf(format, args...), advice})
}

// A response is a published file.
type response struct {
	status int
	header http.Header
	body   []byte // at most maxBody+1 bytes
}

// get requests a published file.
func (c *check) get(ctx context.Context, u string) (response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, http.NoBody)
	if err != nil {
		return response{}, err
	}
	req.Header.Set("User-Agent", crawler.DefaultUserAgent)
	req.Header.Set("Accept", botauth.DirectoryType+", application/json;q=0.9")
	resp, err := c.client.Do(req)
	if err != nil {
		if why := site.RefusedAddress(err, req.URL.Hostname()); why != "" {
			return response{}, cli.Failed("identity check: cannot request %s: %s", u, why)
		}
		if about, ok := errors.AsType[*url.Error](err); ok {
			err = about.Err // without the URL
		}
		return response{}, cli.Failed("identity check: cannot request %s: %s; check the name, the server and its certificate", u, cli.ErrorText(err))
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return response{}, cli.Failed("identity check: cannot read %s: %s", u, cli.ErrorText(err))
	}
	return response{resp.StatusCode, resp.Header, body}, nil
}
