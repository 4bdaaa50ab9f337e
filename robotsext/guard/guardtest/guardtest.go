// Package guardtest helps to test that a program cannot be made to connect where it must
// not, by name servers that change their mind.
//
// A program which looks a name up, finds a public address, and then connects to the name
// has asked twice, and the owner of the name may have answered twice: with the public
// address first, for the check, and with 127.0.0.1 then, for the connection. That is
// rebinding. No such name has to exist for a test: [Resolver] is a resolver for a
// [net.Dialer] that answers like that, without any network. To connect to the first
// address too, take two of loopback, and allow only the one:
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

// Resolver returns a resolver for which every name has the first of the addresses when
// it is looked up for the first time, the second when it is looked up again, and so on;
// the last one stays. Names that the machine's own list of hosts has, and IP addresses,
// are not asked about. It panics if there is no address.
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

// server is a name server, as far as a resolver can tell (RFC 1035).
type server struct {
	answers []netip.Addr

	mu    sync.Mutex     // guards asked
	asked map[string]int // by question: how often
}

// serve answers the questions that come over one connection, until that is closed. They
// are framed as over TCP: a connection that is no net.PacketConn is taken for that.
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

// answer answers a query of one question; nil: it is none.
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
		reply = append(reply, 0xc0, header, 0, byte(kind), 0, classIN, 0, 0, 0, 0, 0, 0) // of that name, not to be kept
		data := addr.AsSlice()
		reply[len(reply)-1] = byte(len(data))
		reply = append(reply, data...)
	}
	return reply
}

// next is the address of a name that is asked for once more. Both types of records are
// asked for at a time, each by itself.
func (s *server) next(question string) netip.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.asked[question]
	s.asked[question]++
	return s.answers[min(n, len(s.answers)-1)]
}
