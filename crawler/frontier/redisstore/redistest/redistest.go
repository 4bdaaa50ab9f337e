// Package redistest starts Redis servers and Clusters for tests, on free ports of 127.0.0.1. It stops
// them and removes their files when the test ends.
package redistest

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// startTimeout is the maximum time that a server may take to start.
const startTimeout = 20 * time.Second

// A Server is a redis-server in a process of its own.
type Server struct {
	// Addr is its address: 127.0.0.1 and the port.
	Addr string

	port    int
	dir     string
	binary  string
	options []string
	config  string      // configuration file of a Sentinel; empty if it is not one
	tls     *tls.Config // for clients; nil without TLS

	mu  sync.Mutex // guards cmd
	cmd *exec.Cmd  // nil if not running
}

// RequireServer returns the path of redis-server or, if it is not installed, valkey-server. If neither
// is installed, it skips the test, or fails it if the environment variable CI is set.
func RequireServer(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("redis-server is not installed")
	}
	t.Skip("redis-server is not installed")
	return ""
}

// Start starts a server with configuration options, such as "--appendonly", "yes".
func Start(t testing.TB, options ...string) *Server {
	t.Helper()
	return start(t, func(s *Server) { s.options = options })
}

func start(t testing.TB, prepare func(s *Server)) *Server {
	t.Helper()
	binary := RequireServer(t)
	var err error
	for range 5 { // another process may take the port meanwhile
		s := &Server{binary: binary, dir: t.TempDir(), port: freePort(t)}
		prepare(s)
		s.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port))
		if err = s.start(); err == nil {
			t.Cleanup(s.Kill)
			return s
		}
	}
	t.Fatalf("redistest: %v", err)
	return nil
}

// freePort returns a free port whose port for the Cluster bus is free too.
func freePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatalf("redistest: %v", err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
		if port > 55000 {
			continue
		}
		bus, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+10000)))
		if err == nil {
			_ = bus.Close()
			return port
		}
	}
	t.Fatal("redistest: no free port")
	return 0
}

func (s *Server) start() error {
	args := []string{"--bind", "127.0.0.1", "--dir", s.dir, "--logfile", filepath.Join(s.dir, "log"), "--daemonize", "no"}
	if s.tls != nil {
		args = append(args, "--port", "0", "--tls-port", strconv.Itoa(s.port))
	} else {
		args = append(args, "--port", strconv.Itoa(s.port))
	}
	if s.config != "" {
		args = append(append([]string{s.config}, args...), "--sentinel")
	} else {
		args = append(args, "--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0")
	}
	cmd := exec.Command(s.binary, append(args, s.options...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); {
		select {
		case <-ended:
			return fmt.Errorf("redis-server ended: %s", &out)
		default:
		}
		if answer, err := s.ask("PING"); err == nil && (answer == "+PONG" || strings.HasPrefix(answer, "-NOAUTH")) {
			s.mu.Lock()
			s.cmd = cmd
			s.mu.Unlock()
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	<-ended
	return fmt.Errorf("redis-server does not answer at %s", s.Addr)
}

// Kill kills the server with SIGKILL, if it is running.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	// Wait until the port is closed.
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		c, err := net.Dial("tcp", s.Addr)
		if err != nil {
			break
		}
		_ = c.Close()
	}
	s.cmd = nil
}

// Restart kills the server if it is running, and starts it again with its files.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.Kill()
	if err := s.start(); err != nil {
		t.Fatalf("redistest: %v", err)
	}
}

// URL returns the server's address for redisstore.Open. It has no TLS parameters (ca, cert, key).
func (s *Server) URL() string {
	if s.tls != nil {
		return "rediss://" + s.Addr
	}
	return "redis://" + s.Addr
}

// Dir returns the directory of the server's files.
func (s *Server) Dir() string { return s.dir }

// Do sends a command and returns the reply: the content of a bulk string, or else the first line
// as sent, such as "+OK" or ":1".
func (s *Server) Do(t testing.TB, args ...string) string {
	t.Helper()
	answer, err := s.ask(args...)
	if err != nil {
		t.Fatalf("redistest: %s: %v", args[0], err)
	}
	return answer
}

// WaitForReplicas waits until the server's replicas have all its writes.
func (s *Server) WaitForReplicas(t testing.TB) {
	t.Helper()
	until(t, "the replicas", func() bool {
		text := s.Do(t, "INFO", "replication")
		_, offset, _ := strings.Cut(text, "master_repl_offset:")
		offset, _, _ = strings.Cut(offset, "\r\n")
		replicas := strings.Count(text, "state=online")
		return replicas > 0 && replicas == strings.Count(text, "state=") && replicas == strings.Count(text, ",offset="+offset+",")
	})
}

// A Cluster is a Redis Cluster.
type Cluster struct {
	Masters  []*Server
	Replicas []*Server // of the masters with the same index, if any
}

// URL returns the addresses of the masters for redisstore.Open.
func (c *Cluster) URL() string {
	return urlOf(c.Masters)
}

func urlOf(servers []*Server) string {
	addrs := make([]string, len(servers))
	for i, s := range servers {
		addrs[i] = s.Addr
	}
	return "redis://" + strings.Join(addrs, ",")
}

// StartCluster starts a Cluster of three masters. With replicas each has one replica.
func StartCluster(t testing.TB, replicas bool, options ...string) *Cluster {
	t.Helper()
	const masters, slots = 3, 16384
	options = append([]string{"--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-config-file", "nodes"}, options...)
	c := &Cluster{}
	for range masters {
		c.Masters = append(c.Masters, Start(t, options...))
	}
	if replicas {
		for range masters {
			c.Replicas = append(c.Replicas, Start(t, options...))
		}
	}
	for i, m := range c.Masters {
		m.Do(t, "CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(i*slots/masters), strconv.Itoa((i+1)*slots/masters-1))
		m.Do(t, "CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1))
	}
	all := append(append([]*Server{}, c.Masters...), c.Replicas...)
	for _, s := range all[1:] {
		s.Do(t, "CLUSTER", "MEET", "127.0.0.1", strconv.Itoa(all[0].port))
	}
	until(t, "the Cluster to form", func() bool {
		for _, s := range all {
			if strings.Count(s.Do(t, "CLUSTER", "NODES"), "\n") < len(all) {
				return false
			}
		}
		return true
	})
	for i, r := range c.Replicas {
		id := c.Masters[i].Do(t, "CLUSTER", "MYID")
		until(t, "a replica", func() bool { return r.Do(t, "CLUSTER", "REPLICATE", id) == "+OK" })
	}
	until(t, "the Cluster", func() bool {
		for _, s := range all {
			if !strings.Contains(s.Do(t, "CLUSTER", "INFO"), "cluster_state:ok") {
				return false
			}
		}
		for _, r := range c.Replicas {
			if !strings.Contains(r.Do(t, "INFO", "replication"), "master_link_status:up") {
				return false
			}
		}
		return true
	})
	return c
}

func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("redistest: waited in vain for %s", what)
		}
	}
}
