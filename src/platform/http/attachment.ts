/** `Content-Disposition` of files with names in any script (RFC 6266). */
import { asciiName, savableName } from '#platform/file-names'

/** For a file that is saved. */
export const attachment = (fileName: string): string => disposition('attachment', fileName)

/** For a file that is shown, and that gets this name when it is saved. */
export const inline = (fileName: string): string => disposition('inline', fileName)

/**
 * The name in UTF-8 is `filename*` (RFC 5987), which browsers prefer. Before it stands a name in ASCII for clients that read `filename` alone, as
 * `curl -OJ` does.
 */
function disposition(kind: 'attachment' | 'inline', fileName: string): string {
  const name = savableName(fileName)
  const plain = asciiName(name)
  return `${kind}; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encoded(name)}`}`
}

/** Encodes a name. `attr-char` of RFC 5987 is narrower than what `encodeURIComponent` leaves unencoded. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
