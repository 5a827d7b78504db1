// Receives reports from Lodge: checks the signature of each message, then prints the report.
//
// Needs Go 1.19 and nothing else: WEBHOOK_SECRET=whsec_... go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	bodyBytesMax = 1_000_000
	tolerance    = 300 * time.Second
)

type message struct {
	Data struct {
		ReportID   string `json:"reportId"`
		ReceivedAt string `json:"receivedAt"`
		Envelope   struct {
			Kind    string `json:"kind"`
			Title   string `json:"title"`
			Message string `json:"message"`
		} `json:"envelope"`
		Attachments []struct {
			PartName   string `json:"partName"`
			Filename   string `json:"filename"`
			ByteLength int64  `json:"byteLength"`
			URL        string `json:"url"`
		} `json:"attachments"`
	} `json:"data"`
}

// isAuthentic follows Standard Webhooks: HMAC-SHA256 of id, timestamp and body; one valid signature is enough while
// secrets rotate.
func isAuthentic(key []byte, header http.Header, body []byte) bool {
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseFloat(timestamp, 64)
	if err != nil {
		return false
	}
	age := time.Since(time.UnixMilli(int64(seconds * 1000)))
	if age > tolerance || age < -tolerance {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", header.Get("webhook-id"), timestamp)
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(expected), []byte(given)) {
			return true
		}
	}
	return false
}

func show(body []byte) {
	var received message
	if err := json.Unmarshal(body, &received); err != nil {
		log.Print(err)
		return
	}
	data := received.Data
	fmt.Printf("\n%s  verified  %s: %s\n", data.ReceivedAt, or(data.Envelope.Kind, "bug"), or(data.Envelope.Title, data.ReportID))
	if data.Envelope.Message != "" {
		fmt.Println(data.Envelope.Message)
	}
	for _, attachment := range data.Attachments {
		name := or(attachment.Filename, attachment.PartName)
		fmt.Printf("attachment   %s (%d bytes) %s\n", name, attachment.ByteLength, attachment.URL)
	}
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

func main() {
	secret := os.Getenv("WEBHOOK_SECRET")
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if !strings.HasPrefix(secret, "whsec_") || err != nil {
		log.Fatal("Set WEBHOOK_SECRET to the secret that lodged apply printed.")
	}
	var seen sync.Map // a message may arrive twice; a real receiver stores the ids durably
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, bodyBytesMax))
		if err != nil {
			response.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		if !isAuthentic(key, request.Header, body) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		response.WriteHeader(http.StatusNoContent) // respond first, and do slow work afterwards
		if _, twice := seen.LoadOrStore(request.Header.Get("webhook-id"), true); !twice {
			show(body)
		}
	})
	address := net.JoinHostPort(or(os.Getenv("HOST"), "127.0.0.1"), or(os.Getenv("PORT"), "4090"))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Waiting for reports at http://%s/\n", address)
	log.Fatal(http.Serve(listener, nil))
}
