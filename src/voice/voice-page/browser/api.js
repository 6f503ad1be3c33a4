/** Requests to this server in the name of a key, which is stored nowhere but here. */
import { hasPhrase, language, translate } from './words.js'

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
 * @param {string} path
 * @param {{ method?: string, secret: string, type?: string, body?: string, accept?: string }} request
 */
export async function send(path, { method = 'GET', secret, type, body }) {
  const reply = await fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      'accept-language': language,
      ...(type !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body }),
    cache: 'no-store',
    credentials: 'omit',
  }).catch(() => undefined)
  if (!reply) throw new Refusal('OFFLINE', translate('offline'))
  if (reply.ok) return reply
  const told = await reply.json().catch(() => undefined)
  throw new Refusal(told?.error?.code ?? 'OFFLINE', told?.error?.message ?? '')
}

export class Api {
  /** @type {string} */
  #key

  /** @param {string} key */
  constructor(key) {
    this.#key = key
  }

  /** The ends of the key, enough to recognise it. */
  get maskedKey() {
    return `${this.#key.slice(0, 4)}…${this.#key.slice(-4)}`
  }

  /** @param {string} path */
  async get(path) {
    return (await send(path, { secret: this.#key })).json()
  }

  /**
   * @param {string} path
   * @param {unknown} body
   */
  async post(path, body) {
    const request = {
      method: 'POST',
      secret: this.#key,
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
    return (await send(path, { secret: this.#key })).blob()
  }

  /** @param {string} path */
  async remove(path) {
    return (await send(path, { method: 'DELETE', secret: this.#key })).json()
  }
}
