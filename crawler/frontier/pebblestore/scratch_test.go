package pebblestore

import (
	"testing"
	"testing/synctest"
	"time"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

func TestScratch(t *testing.T) {
	for range 20 {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := time.Now()
		d, err := pebble.Open(dir, &pebble.Options{FormatMajorVersion: pebble.FormatNewest})
		if err != nil { t.Fatal(err) }
		for i := range 10000 {
			if err := d.Set([]byte(fmt.Sprint(i)), []byte("x"), pebble.Sync); err != nil { t.Fatal(err) }
		}
		time.Sleep(time.Hour)
		d.Flush()
		if err := d.Close(); err != nil { t.Fatal(err) }
		t.Log(time.Since(s))
	})
	}
}
