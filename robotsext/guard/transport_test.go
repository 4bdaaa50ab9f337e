package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/guard/guardtest"
)

// record is a server that remembers what it was asked for.
type record struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

// serve starts a server on an address of loopback; port 0 is any free one.
func serve(t *testing.T, addr string, h http.HandlerFunc) *record {
	t.Helper()
	r := &record{}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.seen = append(r.seen, req.Method+" "+req.RequestURI)
		r.mu.Unlock()
		w.Header().Set("Connection", "close") // so that each request is a connection
		h(w, req)
	}))
	listener, err := net.Listen("tcp4", addr)
	if err != nil {
		t.Fatalf("cannot listen on %s: %v", addr, err)
	}
	_ = r.Listener.Close()
	r.Listener = listener
	r.Start()
	t.Cleanup(r.Close)
	return r
}

func (r *record) wantSeen(t *testing.T, want ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.seen, want) {
		t.Errorf("%s saw %q, want %q", r.URL, r.seen, want)
	}
}

func (r *record) port() string {
	return fmt.Sprint(r.Listener.Addr().(*net.TCPAddr).Port)
}

func hello(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }

// get asks for a URL and returns the body, or the error.
func get(t *testing.T, client *http.Client, url string) (string, error) {
	t.Helper()
	resp, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

func allowing(prefix string) *Guard { return New(netip.MustParsePrefix(prefix)) }

// TestRebindingPublicFirst: a name that is public when it is looked up first, and
// loopback then. The first connection is cut short before a packet is sent, by who is
// asked after the guard; that it was asked is that the guard let it through.
func TestRebindingPublicFirst(t *testing.T) {
	inside := serve(t, "127.0.0.1:0", hello)
	errPassed := errors.New("let through")
	var passed []string
	dialer := &net.Dialer{
		Resolver: guardtest.Resolver(netip.MustParseAddr("93.184.215.14"), netip.MustParseAddr("127.0.0.1")),
		Control: func(_, address string, _ syscall.RawConn) error {
			passed = append(passed, address)
			return errPassed
		},
	}
	client := &http.Client{Transport: New().Transport(&http.Transport{}, dialer)}
	site := "http://rebind.example:" + inside.port() + "/"
	if _, err := get(t, client, site); !errors.Is(err, errPassed) {
		t.Errorf("public address: %v", err)
	}
	_, err := get(t, client, site)
	if e, ok := errors.AsType[*AddressError](err); !ok || e.Addr.String() != "127.0.0.1" || e.Kind != Loopback {
		t.Errorf("rebound: %v", err)
	}
	if want := []string{"93.184.215.14:" + inside.port()}; !slices.Equal(passed, want) {
		t.Errorf("let through: %q, want %q", passed, want)
	}
	inside.wantSeen(t)
}

// TestUnusualAddressSpelling: a host that some programs read as an address is refused before its name is
// looked up, with a proxy and without one.
func TestUnusualAddressSpelling(t *testing.T) {
	dialer := &net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		t.Error("a name was looked up")
		return nil, errors.ErrUnsupported
	}}}
	proxy := serve(t, "127.0.0.1:0", hello)
	through, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range []*http.Transport{{}, {Proxy: http.ProxyURL(through)}} {
		client := &http.Client{Transport: New().Transport(base, dialer)}
		for _, host := range []string{"0xa9fea9fe", "127.1", "010.0.0.1"} {
			_, err := get(t, client, "http://"+host+"/")
			if e, ok := errors.AsType[*HostError](err); !ok || e.Host != host || !errors.Is(err, ErrRefused) {
				t.Errorf("%s: %v", host, err)
			}
		}
	}
	proxy.wantSeen(t)
}

// TestRebinding: the first answer is an address that may be connected to, and is; the
// second is another one. The plain Control function of a dialer stands it as well.
func TestRebinding(t *testing.T) {
	for _, how := range []string{"Control", "Transport"} {
		t.Run(how, func(t *testing.T) {
			inside := serve(t, "127.0.0.1:0", hello)
			outside := serve(t, "127.0.0.2:"+inside.port(), hello)
			g := allowing("127.0.0.2/32")
			dialer := &net.Dialer{Resolver: guardtest.Resolver(netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.1"))}
			client := &http.Client{}
			if how == "Control" {
				dialer.Control = g.Control
				client.Transport = &http.Transport{DialContext: dialer.DialContext}
			} else {
				client.Transport = g.Transport(&http.Transport{}, dialer)
			}
			site := "http://rebind.example:" + inside.port()
			if body, err := get(t, client, site+"/first"); body != "hello" || err != nil {
				t.Errorf("first: %q, %v", body, err)
			}
			if _, err := get(t, client, site+"/second"); !errors.Is(err, ErrRefused) {
				t.Errorf("second: %v", err)
			}
			outside.wantSeen(t, "GET /first")
			inside.wantSeen(t)
		})
	}
}

// TestRedirectInside: a redirect is a connection like any other.
func TestRedirectInside(t *testing.T) {
	inside := serve(t, "127.0.0.1:0", hello)
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "localhost"} {
		outside := serve(t, "127.0.0.2:0", http.RedirectHandler("http://"+host+":"+inside.port()+"/secret", http.StatusFound).ServeHTTP)
		client := &http.Client{Transport: allowing("127.0.0.2/32").Transport(&http.Transport{}, nil)}
		if body, err := get(t, client, outside.URL+"/"); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %q, %v", host, body, err)
		}
		outside.wantSeen(t, "GET /")
	}
	inside.wantSeen(t)
}

// TestDialFunctionsOfBase: none of them is a way past the guard.
func TestDialFunctionsOfBase(t *testing.T) {
	inside := serve(t, "127.0.0.1:0", hello)
	past := func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("tcp", inside.Listener.Addr().String())
	}
	old := func(network, addr string) (net.Conn, error) { return past(context.Background(), network, addr) }
	base := &http.Transport{DialContext: past, DialTLSContext: past, Dial: old, DialTLS: old} //nolint:staticcheck // that is what is tested
	client := &http.Client{Transport: New().Transport(base, nil)}
	for _, scheme := range []string{"http", "https"} {
		if _, err := get(t, client, scheme+"://127.0.0.1:"+inside.port()+"/"); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", scheme, err)
		}
	}
	inside.wantSeen(t)
}

// TestProxy: a proxy that the user has chosen is connected to, on loopback too; what is
// sent to it is judged as far as it is an address; and who is not sent through the proxy
// does not get at its machine.
func TestProxy(t *testing.T) {
	proxy := serve(t, "127.0.0.1:0", hello)
	by := http.ProxyURL(&url.URL{Scheme: "http", Host: "127.0.0.1:" + proxy.port()})
	base := &http.Transport{Proxy: func(req *http.Request) (*url.URL, error) {
		if req.URL.Hostname() == "direct.example" || req.URL.Port() == proxy.port() { // as ProxyFromEnvironment does for loopback
			return nil, nil
		}
		return by(req)
	}}
	dialer := &net.Dialer{Resolver: guardtest.Resolver(netip.MustParseAddr("127.0.0.1"))}
	client := &http.Client{Transport: New().Transport(base, dialer)}
	for _, ok := range []string{"http://site.example/a", "http://8.8.8.8/b"} {
		if body, err := get(t, client, ok); body != "hello" || err != nil {
			t.Errorf("%s: %q, %v", ok, body, err)
		}
	}
	for _, refused := range []string{
		"http://127.0.0.1/", "http://[::ffff:7f00:1]/", "http://169.254.169.254/latest/", "https://169.254.169.254/", "http://0x7f.1/",
		"http://2130706433/", "http://localhost/", "http://10.0.0.1:8080/", "https://[fd00:ec2::254]/",
		"http://127.0.0.1:" + proxy.port() + "/itself", "http://direct.example:" + proxy.port() + "/itself",
	} {
		if body, err := get(t, client, refused); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %q, %v", refused, body, err)
		}
	}
	if resp, err := client.Post("http://127.0.0.1/", "text/plain", strings.NewReader("body")); !errors.Is(err, ErrRefused) {
		t.Errorf("POST: %v, %v", resp, err)
	}
	proxy.wantSeen(t, "GET http://site.example/a", "GET http://8.8.8.8/b")
}

// TestProxyError: what the choice of a proxy fails with is the error of the request.
func TestProxyError(t *testing.T) {
	errNone := errors.New("no proxy to be had")
	client := &http.Client{Transport: New().Transport(&http.Transport{Proxy: func(*http.Request) (*url.URL, error) { return nil, errNone }}, nil)}
	if _, err := get(t, client, "http://site.example/"); !errors.Is(err, errNone) {
		t.Error(err)
	}
}

// TestSOCKS: a SOCKS5 proxy likewise. It is asked for the name, and looks it up itself.
func TestSOCKS(t *testing.T) {
	asked := make(chan string, 10)
	addr := socks(t, asked)
	base := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "socks5", Host: addr})}
	client := &http.Client{Transport: New().Transport(base, nil)}
	if body, err := get(t, client, "http://site.example/"); body != "hello" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
	for _, refused := range []string{"http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/"} {
		if _, err := get(t, client, refused); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", refused, err)
		}
	}
	close(asked)
	var all []string
	for name := range asked {
		all = append(all, name)
	}
	if want := []string{"site.example"}; !slices.Equal(all, want) {
		t.Errorf("the proxy was asked for %q, want %q", all, want)
	}
}

// socks is a SOCKS5 server (RFC 1928) that says hello in place of connecting to a name.
func socks(t *testing.T, asked chan<- string) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 1024)
			_, _ = conn.Read(buf)                // the methods
			_, _ = conn.Write([]byte{5, 0})      // none is needed
			n, _ := io.ReadAtLeast(conn, buf, 7) // 5, connect, 0, a name, its length
			if n > 5 && buf[3] == 3 {
				asked <- string(buf[5 : 5+int(buf[4])])
			} else {
				asked <- "an address"
			}
			_, _ = conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
			_, _ = conn.Read(buf) // the request
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
			_ = conn.Close()
		}
	}()
	return l.Addr().String()
}

// TestTransportKeepsContract: the answer is to the request that was sent, the caller's
// own control functions are heard, and idle connections can be closed.
func TestTransportKeepsContract(t *testing.T) {
	site := serve(t, "127.0.0.1:0", hello)
	var heard []string
	note := func(how string) func(context.Context, string, string, syscall.RawConn) error {
		return func(context.Context, string, string, syscall.RawConn) error { heard = append(heard, how); return nil }
	}
	plain := note("Control")
	for _, dialer := range []*net.Dialer{
		{Control: func(network, address string, c syscall.RawConn) error {
			return plain(context.Background(), network, address, c)
		}},
		{ControlContext: note("ControlContext"), Control: func(string, string, syscall.RawConn) error { heard = append(heard, "both"); return nil }},
	} {
		rt := allowing("127.0.0.0/8").Transport(&http.Transport{}, dialer)
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, site.URL, nil)
		req.RequestURI = ""
		resp, err := rt.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.Request != req {
			t.Error("the answer is to another request")
		}
		(&http.Client{Transport: rt}).CloseIdleConnections()
	}
	if want := []string{"Control", "ControlContext"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}
