/** Requests to this server by the session of who has signed in, or in the name of a key, which is stored nowhere but here. */
import { hasPhrase, language, translate } from './words.js'

/** @import { CallChoice, CallCredential, Credential } from './line.d.ts' */

/** A refusal of the server, or a request that it did not answer. */
export class Refusal extends Error {
  /**
   * @param {string} code of the error; OFFLINE where no answer came
   * @param {string} sentence of the server
   */
  constructor(code, sentence) {
    super(sentence)
    this.code = code
  }
}

/**
 * The sentence that a person reads about an error.
 * @param {unknown} error
 */
export function sentenceOf(error) {
  if (!(error instanceof Refusal)) return translate('ended_failed')
  if (hasPhrase(`error_${error.code}`)) return translate(`error_${error.code}`)
  return error.message || translate('offline')
}

/**
 * The headers that prove a request; a session is proven by its cookie, and names its project.
 * @param {Credential} credential
 * @returns {Record<string, string>}
 */
function proofOf(credential) {
  if ('secret' in credential) return { authorization: `Bearer ${credential.secret}` }
  return credential.project === undefined ? {} : { 'x-kherad-project': credential.project }
}

/**
 * @param {string} path
 * @param {{ method?: string, credential: Credential, type?: string, body?: string }} request
 */
export async function send(path, { method = 'GET', credential, type, body }) {
  const reply = await fetch(path, {
    method,
    headers: {
      ...proofOf(credential),
      'accept-language': language,
      ...(type !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body }),
    cache: 'no-store',
    // A request with a key is judged by the key alone.
    credentials: 'secret' in credential ? 'omit' : 'same-origin',
  }).catch(() => undefined)
  if (!reply) throw new Refusal('OFFLINE', translate('offline'))
  if (reply.ok) return reply
  const told = await reply.json().catch(() => undefined)
  throw new Refusal(told?.error?.code ?? 'OFFLINE', told?.error?.message ?? '')
}

export class Api {
  /** @type {Credential} */
  #credential

  /** @param {Credential} credential */
  constructor(credential) {
    this.#credential = credential
  }

  /**
   * What begins a call: a key is changed for a secret that does nothing else, a session begins it itself.
   * @param {CallChoice} choice
   * @returns {Promise<CallCredential>}
   */
  async credentialOfCall(choice) {
    if (!('secret' in this.#credential)) return { ...this.#credential, choice }
    const { value } = await this.post('/v1/realtime/client_secrets', choice)
    return { secret: value }
  }

  /** @param {string} path */
  async get(path) {
    return (await send(path, { credential: this.#credential })).json()
  }

  /**
   * @param {string} path
   * @param {unknown} body
   */
  async post(path, body) {
    const request = {
      method: 'POST',
      credential: this.#credential,
      type: 'application/json',
      body: JSON.stringify(body),
    }
    return (await send(path, request)).json()
  }

  /**
   * The bytes of a file.
   * @param {string} path
   */
  async bytes(path) {
    return (await send(path, { credential: this.#credential })).blob()
  }

  /** @param {string} path */
  async remove(path) {
    return (await send(path, { method: 'DELETE', credential: this.#credential })).json()
  }
}
