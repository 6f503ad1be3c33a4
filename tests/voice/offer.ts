/** An offer as a browser writes it, of a client that nobody is: it is answered, and never connects. */
export const fingerprint = Array(32).fill('AB').join(':')

export const offerLines: readonly string[] = [
  'v=0',
  'o=- 1 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0 1',
  'm=audio 9 UDP/TLS/RTP/SAVPF 63 111',
  'a=ice-ufrag:2DtF',
  'a=ice-pwd:Gh9WlCOj7sUqjSlmIV74mnUb',
  `a=fingerprint:sha-256 ${fingerprint}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=sendrecv',
  'a=rtcp-mux',
  'a=rtpmap:63 red/48000/2',
  'a=rtpmap:111 opus/48000/2',
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  'a=ice-ufrag:2DtF',
  'a=ice-pwd:Gh9WlCOj7sUqjSlmIV74mnUb',
  `a=fingerprint:sha-256 ${fingerprint}`,
  'a=setup:actpass',
  'a=mid:1',
  'a=sctp-port:5000',
]

export const offer = `${offerLines.join('\r\n')}\r\n`

/** The same, of so many bytes. */
export const offerOfBytes = (bytes: number): string => {
  const before = `${offer}a=x:`
  return `${before}${'y'.repeat(bytes - before.length - 2)}\r\n`
}
