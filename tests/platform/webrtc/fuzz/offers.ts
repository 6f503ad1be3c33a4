/** Offers as browsers of 2026 write them, without the codecs that nobody here answers. */
import { offer } from '../../../voice/offer.ts'
import { offerOf } from '../lean-peer.ts'

const fingerprint =
  '7B:8C:1F:52:0E:AD:6A:0B:9C:44:5E:FA:13:D7:99:20:31:CE:BD:04:7F:55:E2:61:8A:3D:90:4B:C6:F8:2E:17'
const lines = (text: string): string => `${text.trim().split('\n').join('\r\n')}\r\n`

const chrome = lines(`
v=0
o=- 4611731400430051336 2 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0 1
a=extmap-allow-mixed
a=msid-semantic: WMS 5f0a1d0e-2f0c-4b5e-8a3c-0d6d4b1f7a11
m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
c=IN IP4 0.0.0.0
a=rtcp:9 IN IP4 0.0.0.0
a=candidate:1467250027 1 udp 2122260223 192.0.2.17 46243 typ host generation 0 network-id 1 network-cost 10
a=ice-ufrag:Gx5/
a=ice-pwd:r0pXmIy0uTnG5kVnBq1sT4dW
a=ice-options:trickle
a=fingerprint:sha-256 ${fingerprint}
a=setup:actpass
a=mid:0
a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
a=sendrecv
a=msid:5f0a1d0e-2f0c-4b5e-8a3c-0d6d4b1f7a11 9a7c6c0e-51f6-4a6c-8f0e-4b8c2f1f2a33
a=rtcp-mux
a=rtcp-rsize
a=rtpmap:111 opus/48000/2
a=rtcp-fb:111 transport-cc
a=fmtp:111 minptime=10;useinbandfec=1
a=rtpmap:63 red/48000/2
a=fmtp:63 111/111
a=rtpmap:9 G722/8000
a=rtpmap:0 PCMU/8000
a=rtpmap:8 PCMA/8000
a=rtpmap:13 CN/8000
a=rtpmap:110 telephone-event/48000
a=rtpmap:126 telephone-event/8000
a=ssrc:2790216311 cname:f1JxT0iQ1xY7lZ2s
a=ssrc:2790216311 msid:5f0a1d0e-2f0c-4b5e-8a3c-0d6d4b1f7a11 9a7c6c0e-51f6-4a6c-8f0e-4b8c2f1f2a33
m=application 9 UDP/DTLS/SCTP webrtc-datachannel
c=IN IP4 0.0.0.0
a=ice-ufrag:Gx5/
a=ice-pwd:r0pXmIy0uTnG5kVnBq1sT4dW
a=ice-options:trickle
a=fingerprint:sha-256 ${fingerprint}
a=setup:actpass
a=mid:1
a=sctp-port:5000
a=max-message-size:262144
`)

const firefox = lines(`
v=0
o=mozilla...THIS_IS_SDPARTA-99.0 7129393437462347019 0 IN IP4 0.0.0.0
s=-
t=0 0
a=fingerprint:sha-256 ${fingerprint}
a=group:BUNDLE 0 1
a=ice-options:trickle
a=msid-semantic:WMS *
m=audio 9 UDP/TLS/RTP/SAVPF 109 9 0 8 101
c=IN IP4 0.0.0.0
a=sendrecv
a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
a=extmap:2/recvonly urn:ietf:params:rtp-hdrext:csrc-audio-level
a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
a=fmtp:109 maxplaybackrate=48000;stereo=1;useinbandfec=1
a=fmtp:101 0-15
a=ice-pwd:0d1f5b1a7f0c6f9d8f6a0b2f4d5e6c7b
a=ice-ufrag:3f1e2d4c
a=mid:0
a=msid:{2a1f5d0e-3b6c-4f7d-9e8a-1b2c3d4e5f60} {0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0}
a=rtcp-mux
a=rtpmap:109 opus/48000/2
a=rtpmap:9 G722/8000/1
a=rtpmap:0 PCMU/8000
a=rtpmap:8 PCMA/8000
a=rtpmap:101 telephone-event/8000/1
a=setup:actpass
a=ssrc:1423564523 cname:{6f5e4d3c-2b1a-0987-6543-210fedcba987}
m=application 9 UDP/DTLS/SCTP webrtc-datachannel
c=IN IP4 0.0.0.0
a=sendrecv
a=ice-pwd:0d1f5b1a7f0c6f9d8f6a0b2f4d5e6c7b
a=ice-ufrag:3f1e2d4c
a=mid:1
a=setup:actpass
a=sctp-port:5000
a=max-message-size:1073741823
`)

/** With a picture, and lines that end as those of Unix. */
const withVideo = chrome
  .replace('BUNDLE 0 1', 'BUNDLE 0 1 2')
  .concat(
    lines(`
m=video 9 UDP/TLS/RTP/SAVPF 96 97
c=IN IP4 0.0.0.0
a=ice-ufrag:Gx5/
a=ice-pwd:r0pXmIy0uTnG5kVnBq1sT4dW
a=fingerprint:sha-256 ${fingerprint}
a=setup:actpass
a=mid:2
a=recvonly
a=rtcp-mux
a=rtpmap:96 VP8/90000
a=rtpmap:97 rtx/90000
a=fmtp:97 apt=96`),
  )
  .replaceAll('\r\n', '\n')

export const offers: Readonly<Record<string, string>> = {
  chrome,
  firefox,
  'with-video': withVideo,
  shortest: offer,
  lean: offerOf('lean', fingerprint).replaceAll(/a=ice-pwd:\S+/g, 'a=ice-pwd:0123456789abcdef01234567'),
}
