import { useRef } from 'react'

/** One key of idempotency for each intent: the same body sent again after a lost answer makes nothing a second time. */
export function useIntent(): (body: unknown) => string {
  const intent = useRef({ text: '', id: '' })
  return (body) => {
    const text = JSON.stringify(body)
    if (intent.current.text !== text) intent.current = { text, id: randomId() }
    return intent.current.id
  }
}

/** `crypto.randomUUID` is missing on plain HTTP at another host than localhost. */
const randomId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
