/** A part of a code: plain, or a text in a right-to-left script within quotes, which needs a direction of its own. */
export interface CodePart {
  text: string
  isRtl: boolean
}

/** Splits a code around its quoted texts in a right-to-left script; joined again they are the code. */
export function partsOfCode(code: string): CodePart[] {
  return code
    .split(/(?<=")([^"\n]*[\u0590-\u08ff][^"\n]*)(?=")/)
    .map((text, at) => ({ text, isRtl: at % 2 === 1 }))
    .filter(({ text }) => text !== '')
}
