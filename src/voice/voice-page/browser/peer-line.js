/** A call over WebRTC: sound on a track, events on the channel `oai-events`. */
import { send } from './api.js'

/** @import { CallCredential, CallLine, CallLineOptions } from './line.d.ts' */

/** A connection succeeds within this time, or never: networks that block UDP do not report it. */
const maxConnectMs = 5_000
/** A broken connection may recover by itself within this time. */
const maxBrokenMs = 6_000

/** The server has made a call that this page does not reach. */
export class NotConnected extends Error {
  /** @param {string} address the address of the call */
  constructor(address) {
    super('not connected')
    this.address = address
  }
}

/**
 * Opens a line. Rejects with a Refusal of the server, or with NotConnected.
 * @param {CallLineOptions} options
 * @returns {Promise<CallLine>}
 */
export async function openPeerLine({ credential, microphone, audio, heard, gone }) {
  const peer = new RTCPeerConnection()
  try {
    for (const track of microphone.getAudioTracks()) peer.addTrack(track, microphone)
    peer.ontrack = ({ track }) => {
      audio.srcObject = new MediaStream([track])
      audio.play().catch(() => undefined)
    }
    const channel = peer.createDataChannel('oai-events')
    channel.onmessage = ({ data }) => heard(JSON.parse(data))
    await peer.setLocalDescription(await peer.createOffer())
    const address = await answer(peer, credential)
    await waitUntilOpened(peer, channel, address)
    watch(peer, channel, gone)
    return {
      send: (event) => channel.send(JSON.stringify(event)),
      close() {
        channel.onclose = null
        peer.onconnectionstatechange = null
        peer.close()
        audio.srcObject = null
      },
    }
  } catch (error) {
    peer.close()
    throw error
  }
}

/**
 * Sets the server's answer and returns the address at which the call is read and ended.
 * @param {RTCPeerConnection} peer
 * @param {CallCredential} credential
 */
async function answer(peer, credential) {
  const body = peer.localDescription?.sdp ?? ''
  const path = `/v1/realtime/calls${queryOf(credential)}`
  const reply = await send(path, { method: 'POST', credential, type: 'application/sdp', body })
  const address = reply.headers.get('location') ?? ''
  await peer.setRemoteDescription({ type: 'answer', sdp: await reply.text() })
  return address
}

/**
 * The choice of a call that no client secret has made.
 * @param {CallCredential} credential
 */
function queryOf(credential) {
  if (!('choice' in credential)) return ''
  const { agent_id: agent, store, session } = credential.choice
  return `?${new URLSearchParams({
    session: JSON.stringify(session),
    store: String(store),
    ...(agent !== undefined && { agent_id: agent }),
  })}`
}

/**
 * @param {RTCPeerConnection} peer
 * @param {RTCDataChannel} channel
 * @param {string} address
 * @returns {Promise<void>}
 */
function waitUntilOpened(peer, channel, address) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new NotConnected(address)), maxConnectMs)
    channel.onopen = () => {
      clearTimeout(timer)
      resolve()
    }
    peer.onconnectionstatechange = () => {
      if (peer.connectionState !== 'failed') return
      clearTimeout(timer)
      reject(new NotConnected(address))
    }
  })
}

/**
 * @param {RTCPeerConnection} peer
 * @param {RTCDataChannel} channel
 * @param {() => void} gone
 */
function watch(peer, channel, gone) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let broken
  channel.onclose = gone
  peer.onconnectionstatechange = () => {
    clearTimeout(broken)
    if (peer.connectionState === 'disconnected') broken = setTimeout(gone, maxBrokenMs)
    else if (peer.connectionState === 'failed' || peer.connectionState === 'closed') gone()
  }
}
