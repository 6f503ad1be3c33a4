/** A call over a WebSocket: sound in events, both ways. */
/** @import { CallCredential, CallEvent, CallLine, CallLineOptions } from './line.d.ts' */

/** The most bytes that wait to be sent; sound of the microphone beyond them is dropped. */
const maxUnsentBytes = 1_000_000

/** The events that silence the loudspeaker: its waiting sound was cut at the server. */
const cuts = new Set(['output_audio_buffer.cleared', 'conversation.item.truncated'])

/**
 * Opens a line. Rejects where it cannot be opened; browsers give a page no reason.
 * @param {CallLineOptions & { context: AudioContext }} options the `context` must begin at the press of a button, or it stays silent
 * @returns {Promise<CallLine>}
 */
export async function openSocketLine({ credential, microphone, context, heard, gone }) {
  await context.audioWorklet.addModule('/voice/sound-worklet.js')
  await context.resume()
  const socket = await openSocket(credential)
  const sound = joinSound(context, microphone, (audio) => {
    if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < maxUnsentBytes)
      socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio }))
  })
  socket.onmessage = ({ data }) => {
    const event = /** @type {CallEvent} */ (JSON.parse(data))
    if (event.type === 'response.output_audio.delta') sound.play(event.delta)
    else {
      if (cuts.has(event.type)) sound.clear()
      heard(event)
    }
  }
  socket.onclose = () => {
    sound.close()
    gone()
  }
  return {
    send: (event) => socket.send(JSON.stringify(event)),
    close() {
      sound.close()
      socket.close()
    },
  }
}

/**
 * @param {CallCredential} credential
 * @returns {Promise<WebSocket>}
 */
function openSocket(credential) {
  const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/v1/realtime`
  const socket =
    'secret' in credential
      ? // Browsers send no header with a WebSocket, and an address would be logged.
        new WebSocket(address, ['realtime', `openai-insecure-api-key.${credential.secret}`])
      : new WebSocket(`${address}?${queryOf(credential)}`, ['realtime'])
  return new Promise((resolve, reject) => {
    socket.onopen = () => {
      // Settings beside the model, which a client secret would have.
      if ('choice' in credential) {
        const { model: _model, ...session } = credential.choice.session
        socket.send(JSON.stringify({ type: 'session.update', session }))
      }
      resolve(socket)
    }
    socket.onclose = () => reject(new Error('no line'))
  })
}

/** @param {Extract<CallCredential, { choice: object }>} credential */
function queryOf({ project, choice: { agent_id: agent, store, session } }) {
  return new URLSearchParams({
    store: String(store),
    ...(project !== undefined && { project }),
    ...(agent !== undefined && { agent_id: agent }),
    ...(session.model !== undefined && { model: session.model }),
  })
}

/**
 * @param {AudioContext} context
 * @param {MediaStream} microphone
 * @param {(audio: string) => void} spoken receives 16-bit samples in Base64
 */
function joinSound(context, microphone, spoken) {
  const source = context.createMediaStreamSource(microphone)
  const listen = new AudioWorkletNode(context, 'listen', {
    numberOfOutputs: 0,
    channelCount: 1,
    channelCountMode: 'explicit',
  })
  const play = new AudioWorkletNode(context, 'play', { numberOfInputs: 0, outputChannelCount: [1] })
  listen.port.onmessage = ({ data }) => spoken(base64Of(new Uint8Array(data.buffer)))
  source.connect(listen)
  play.connect(context.destination)
  return {
    /** @param {string} audio */
    play(audio) {
      const samples = new Int16Array(bytesOf(audio).buffer)
      play.port.postMessage(samples, [samples.buffer])
    },
    clear: () => play.port.postMessage(null),
    close() {
      source.disconnect()
      play.disconnect()
      listen.port.onmessage = null
    },
  }
}

/** @param {Uint8Array} bytes */
const base64Of = (bytes) => btoa(String.fromCharCode(...bytes))

/** @param {string} text */
const bytesOf = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))
