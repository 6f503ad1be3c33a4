/** A tree as text. */
import { type SvgElement, SvgError, svgBounds, svgNamespace } from './parse.ts'

/** Style sheets that are written to each element may make the text longer than the input. */
const maxCharacters = 2 * svgBounds.bytes

/** Returns the tree as text. Throws `SvgError` (`size`). */
export function svgText(root: SvgElement): string {
  const pieces: string[] = []
  let length = 0
  const put = (text: string): void => {
    length += text.length
    if (length > maxCharacters) throw new SvgError('size')
    pieces.push(text)
  }
  const write = ({ name, attributes, children }: SvgElement, mark = ''): void => {
    put(`<${name}${mark}`)
    for (const [key, value] of attributes) put(` ${key}="${escaped(value)}"`)
    if (children.length === 0) {
      put('/>')
      return
    }
    put('>')
    for (const child of children)
      if (typeof child === 'string') put(escaped(child))
      else write(child)
    put(`</${name}>`)
  }
  write(root, ` xmlns="${svgNamespace}"`)
  const text = pieces.join('')
  if (Buffer.byteLength(text) > svgBounds.bytes) throw new SvgError('size')
  return text
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"\t\n\r]/g, (each) => escapes[each]!)
