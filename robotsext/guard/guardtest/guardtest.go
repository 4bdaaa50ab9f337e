// Package guardtest helps to test that a program is safe from DNS rebinding.
//
// A program may resolve a name to check its address, and resolve it again to connect.
// The owner of the name can then answer with a public address first and with 127.0.0.1
// later. That is DNS rebinding. [Resolver] returns a resolver for a [net.Dialer] that
// answers like that without a network. To make the first connection succeed in a test,
// use two loopback addresses and allow only the first:
//
//	g := guard.New(netip.MustParsePrefix("127.0.0.2/32"))
//	dialer := &net.Dialer{
//		Control:  g.Control,
//		Resolver: guardtest.Resolver(netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.1")),
//	}
package guardtest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"sync"
)

// Resolver returns a resolver that returns the first address for the first lookup of a
// name, the second for the second, and so on. All later lookups return the last
// address. IP addresses and names in the machine's hosts file do not reach the
// resolver. Resolver panics if it is called without addresses.
func Resolver(answers ...netip.Addr) *net.Resolver {
	if len(answers) == 0 {
		panic("guardtest: a resolver needs an address to answer with")
	}
	s := &server{answers: answers, asked: make(map[string]int)}
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, conn := net.Pipe()
		go s.serve(conn)
		return client, nil
	}}
}

// server is a minimal DNS server (RFC 1035).
type server struct {
	answers []netip.Addr

	mu    sync.Mutex     // guards asked
	asked map[string]int // how often, by question
}

// serve answers the queries of one connection until it is closed. Queries are framed
// as over TCP, because net uses that framing unless the connection is a
// net.PacketConn.
func (s *server) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	for {
		var length [2]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		answer := s.answer(query)
		if answer == nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

// Types of records, and the class that all are of.
const (
	typeA    = 1
	typeAAAA = 28
	classIN  = 1
)

// answer answers a query with one question. It returns nil for any other query.
func (s *server) answer(query []byte) []byte {
	const header = 12
	end := header // of the name
	for end < len(query) && query[end] != 0 {
		end += 1 + int(query[end])
	}
	if end+5 > len(query) {
		return nil
	}
	question := query[header : end+5]
	kind := binary.BigEndian.Uint16(query[end+1:])
	reply := append([]byte{}, query[:2]...)                   // the id
	reply = append(reply, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0) // an answer, without errors, to one question
	reply = append(reply, question...)
	addr := s.next(string(question))
	if kind == typeA && addr.Is4() || kind == typeAAAA && addr.Is6() {
		reply[7] = 1                                                                     // one record:
		reply = append(reply, 0xc0, header, 0, byte(kind), 0, classIN, 0, 0, 0, 0, 0, 0) // of that name, not to be cached
		data := addr.AsSlice()
		reply[len(reply)-1] = byte(len(data))
		reply = append(reply, data...)
	}
	return reply
}

// next returns the next address of a name. Lookups of A and AAAA records count
// separately.
func (s *server) next(question string) netip.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.asked[question]
	s.asked[question]++
	return s.answers[min(n, len(s.answers)-1)]
}
