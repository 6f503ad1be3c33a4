/** A call of this page, from the microphone to its end. */
import { Refusal, sentenceOf } from './api.js'
import { NotConnected, openPeerLine } from './peer-line.js'
import { openSocketLine } from './socket-line.js'
import { formatNumber, translate } from './words.js'

/** @import { Api } from './api.js' */
/** @import { CallChoice, CallCredential, CallEvent, CallState, CallView, CallLine } from './line.d.ts' */

/** How long the page shows `thinking` for a turn that gets no answer, such as "yes, yes" during an answer. */
const maxThinkingMs = 4_000

/** The reasons for which the microphone stays closed, by the names of the browser's errors. */
const microphoneFaults = new Map([
  ['NotAllowedError', 'micDenied'],
  ['SecurityError', 'micDenied'],
  ['NotFoundError', 'micMissing'],
  ['OverconstrainedError', 'micMissing'],
])

/** A sentence for the person who calls. */
class UserFacingError extends Error {}

export class PageCall {
  #api
  #view
  #audio
  /** The context must be made at the press of a button, or it stays silent. */
  #context = new AudioContext()
  /** @type {MediaStream | undefined} */
  #microphone
  /** @type {CallLine | undefined} */
  #line
  /** @type {string | undefined} as the server names it, once it has said so */
  id
  #isOver = false
  /** The phrase to show once the call is connected. */
  #connected = 'connected'
  /** The reason for the end that the server gave. */
  #reason = 'disconnected'
  #isCallerSpeaking = false
  #isHeard = false
  #isThinking = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #thinking

  /**
   * @param {Api} api
   * @param {CallView} view
   * @param {HTMLAudioElement} audio
   */
  constructor(api, view, audio) {
    this.#api = api
    this.#view = view
    this.#audio = audio
  }

  /** @param {CallChoice} choice the model or agent that answers, and its settings */
  async begin(choice) {
    this.#view.state('connecting')
    try {
      this.#microphone = await openMicrophone()
      const line = await this.#open(await this.#api.credentialOfCall(choice))
      if (this.#isOver) return line.close()
      this.#line = line
    } catch (error) {
      this.#end(error instanceof UserFacingError ? error.message : sentenceOf(error), true)
    }
    if (this.#isOver) this.#release()
  }

  hangUp() {
    this.#line?.close()
    this.#end(translate('ended_client'), false)
  }

  /**
   * Opens a line over WebRTC, or over a WebSocket where WebRTC does not connect.
   * @param {CallCredential} credential
   */
  async #open(credential) {
    const microphone = /** @type {MediaStream} */ (this.#microphone)
    const options = {
      ...{ credential, microphone, audio: this.#audio },
      heard: (/** @type {CallEvent} */ event) => this.#heard(event),
      gone: () => this.#gone(),
    }
    try {
      return await openPeerLine(options)
    } catch (error) {
      await this.#giveUp(error)
    }
    this.#connected = 'overSocket'
    return openSocketLine({ ...options, context: this.#context }).catch(() => {
      throw new UserFacingError(translate('notOpened'))
    })
  }

  /**
   * Gives up WebRTC. Throws an error that a WebSocket would meet as well.
   * @param {unknown} error
   */
  async #giveUp(error) {
    if (error instanceof NotConnected) await this.#api.remove(error.address).catch(() => undefined)
    else if (error instanceof Refusal && error.code !== 'WEBRTC_UNAVAILABLE') throw error
  }

  /** @param {CallEvent} event */
  #heard(event) {
    if (this.#isOver) return
    this.#view.event(event)
    switch (event.type) {
      case 'session.created':
        this.id = event['session'].kherad.call_id
        this.#view.note(translate(this.#connected))
        break
      case 'kherad.credits':
        this.#view.money({ spent: Number(event['spent']), held: Number(event['held']) })
        if (event['warning']) this.#view.note(translate('warning'))
        break
      case 'kherad.ending':
        this.#ending(event)
        break
      default:
        this.#follow(event.type)
    }
    this.#showState()
  }

  /** @param {CallEvent} event */
  #ending({ reason, seconds }) {
    if (seconds === 0) this.#reason = reason
    else if (reason === 'expired') this.#view.note(translate('expiring', { number: formatNumber(seconds) }))
    else if (reason === 'stopped') this.#view.note(translate('stopping', { number: formatNumber(seconds) }))
  }

  /**
   * Follows who speaks.
   * @param {string} type the type of an event
   */
  #follow(type) {
    if (type === 'input_audio_buffer.speech_started') this.#isCallerSpeaking = true
    else if (type === 'input_audio_buffer.speech_stopped') {
      this.#isCallerSpeaking = false
      this.#think()
    } else if (type === 'response.created') this.#think()
    else if (type === 'output_audio_buffer.started') {
      this.#isHeard = true
      this.#isThinking = false
    } else if (type === 'output_audio_buffer.stopped' || type === 'output_audio_buffer.cleared')
      this.#isHeard = false
    else if (type === 'response.done') this.#isThinking = false
  }

  #think() {
    this.#isThinking = true
    clearTimeout(this.#thinking)
    this.#thinking = setTimeout(() => {
      this.#isThinking = false
      if (!this.#isOver) this.#showState()
    }, maxThinkingMs)
  }

  #showState() {
    /** @type {CallState} */
    let state = 'listening'
    if (this.#isCallerSpeaking) state = 'caller'
    else if (this.#isHeard) state = 'assistant'
    else if (this.#isThinking) state = 'thinking'
    this.#view.state(state)
  }

  #gone() {
    this.#line?.close()
    this.#end(translate(`ended_${this.#reason}`), this.#reason !== 'client')
  }

  /**
   * @param {string} sentence
   * @param {boolean} failed
   */
  #end(sentence, failed) {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#thinking)
    this.#release()
    this.#view.state('idle')
    this.#view.ended(sentence, failed)
  }

  /** Closes the microphone, so that its light goes out. */
  #release() {
    for (const track of this.#microphone?.getTracks() ?? []) track.stop()
    if (this.#context.state !== 'closed') void this.#context.close()
  }
}

/** @returns {Promise<MediaStream>} */
async function openMicrophone() {
  const sound = { echoCancellation: true, noiseSuppression: true, autoGainControl: true }
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: sound })
  } catch (error) {
    throw new UserFacingError(translate(microphoneFaults.get(/** @type {Error} */ (error).name) ?? 'micBusy'))
  }
}
