// Package redisstore is a frontier on a Redis or Valkey server, or a Cluster of
// them, that any number of processes on any number of machines share.
package redisstore
