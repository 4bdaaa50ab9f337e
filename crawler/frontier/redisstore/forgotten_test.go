//go:build unix

package redisstore

import (
	"bytes"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// forgetSince restarts a server with what it had written at an earlier time.
func forgetSince(t *testing.T, server *redistest.Server, text []byte) {
	t.Helper()
	server.Kill()
	must(t, os.Truncate(writtenTo(t, server), int64(len(text))))
	server.Restart(t)
}

// interrupt returns the URL of a proxy for a server. When a client first sends the text of
// trigger, the proxy calls act and closes the connection instead of forwarding the call. Clients
// cannot connect again until act returns.
func interrupt(t *testing.T, server *redistest.Server, trigger *atomic.Pointer[string], act func()) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	var acting sync.Mutex
	dial := func() (net.Conn, error) {
		acting.Lock()
		defer acting.Unlock()
		return net.Dial("tcp", server.Addr)
	}
	lockedAct := func() {
		acting.Lock()
		defer acting.Unlock()
		act()
	}
	forward := func(client net.Conn) {
		defer client.Close()
		conn, err := dial()
		if err != nil {
			return
		}
		defer conn.Close()
		go func() {
			_, _ = io.Copy(client, conn)
			_ = client.Close()
		}()
		for buf := make([]byte, 64<<10); ; {
			n, err := client.Read(buf)
			if err != nil {
				return
			}
			if text := trigger.Load(); text != nil && bytes.Contains(buf[:n], []byte(*text)) && trigger.CompareAndSwap(text, nil) {
				lockedAct()
				return
			}
			if _, err := conn.Write(buf[:n]); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go forward(client)
		}
	}()
	return "redis://" + l.Addr().String()
}

// A server forgets the links of a page, which were sent before the end of its lease. Then the
// lease ends on the restarted server, of which another worker knows already. The links are
// sent again.
func TestLinksForgottenBeforeTheirPageEnds(t *testing.T) {
	for name, note := range map[string][]byte{"without note": nil, "with note": []byte("note")} {
		t.Run(name, func(t *testing.T) {
			server := redistest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
			ctx := t.Context()
			other := openTest(t, server.URL(), Options{WorkerName: "other", Shards: 12})
			var before []byte
			var token atomic.Pointer[string]
			s := openTest(t, interrupt(t, server, &token, func() {
				forgetSince(t, server, before)
				if _, err := other.Add(ctx, testItems("other", 1)); err != nil {
					t.Errorf("Add by the other worker: %v", err)
				}
			}), Options{WorkerName: "w"})
			addItems(t, s, testItems("page", 1))
			leases := leaseOne(t, s)
			ticket, _ := s.layout.readTicket(leases[0].ID)
			before = written(t, server)
			token.Store(&ticket.token)
			links := testItems("link", 20)
			errs, err := s.Finish(ctx, []frontier.Outcome{{Lease: leases[0].ID, Result: frontier.Done, Links: links}}, note)
			if err != nil || errs[0] != nil {
				t.Fatalf("Finish: %v, %v", errs, err)
			}
			if st, err := s.Stats(ctx); err != nil || st.Done != 1 || st.URLs != 1+1+len(links) {
				t.Errorf("counts are %+v, %v", st.Counts, err)
			}
		})
	}
}

// A worker sends a URL that it knows again, while another worker is still telling the shards
// of a restarted server about the restart.
func TestRestartIsNoticedWhileAnotherWorkerBoots(t *testing.T) {
	server := redistest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	ctx := t.Context()
	s := openTest(t, server.URL(), Options{WorkerName: "w", Shards: 12})
	other := openTest(t, server.URL(), Options{WorkerName: "other"})
	before := written(t, server)
	items := testItems("a", 20)
	addItems(t, s, items)
	forgetSince(t, server, before)
	first := other.all("boot", "0", "0")[0]
	first.script = other.scripts.boot
	if _, err := other.invoke(ctx, first, true); err != nil {
		t.Fatal(err)
	}
	added, err := s.Add(ctx, items)
	for i := range added {
		if !added[i] {
			t.Errorf("%s was forgotten, and is not added again", items[i].URL)
		}
	}
	if err != nil {
		t.Error(err)
	}
}
