/** WebRTC connections: sound and one data channel, over one port of UDP and TCP (docs/decisions/voice/own-webrtc.md). */
export type { WebRtcOptions } from './endpoint.ts'
export { type FreePorts, findFreePorts } from './free-ports.ts'
export { LazyWebRtc } from './lazy.ts'
export { webrtcSeries } from './metrics.ts'
export { openWebRtc } from './open.ts'
export type { Peer, PeerHandler, PeerStats, WebRtc } from './peer.ts'
export { SdpRefused } from './sdp-offer.ts'
