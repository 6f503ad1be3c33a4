/** What a form refuses of a field before it asks the server. */
export type Fault = 'empty' | 'email'

interface Typed {
  value: string
  required?: boolean | undefined
  type?: string | undefined
}

/** What is missing or no address of mail; undefined where the field may be sent. Whether the server takes it is for the server to say. */
export function faultOf({ value, required, type }: Typed): Fault | undefined {
  const text = value.trim()
  if (text === '') return required ? 'empty' : undefined
  return type === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text) ? 'email' : undefined
}
