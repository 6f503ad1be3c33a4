/** The first `most` characters, counted as schemas count them: a pair of surrogates is one, and is never cut. */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text
  let end = 0
  for (let count = 0; count < most && end < text.length; count++)
    end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return text.slice(0, end)
}
