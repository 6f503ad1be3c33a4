/** Takes the signs that turn what stands after them (U+202A to U+202E, U+2066 to U+2069) out of a name; the half-space (U+200C) stays. */
export const cleanName = (name: string): string => name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')

/** A name within a sentence that is one text, such as a title: cleaned, with a direction of its own. Among elements, write `<Name>`. */
export const isolatedName = (name: string): string => `\u2068${cleanName(name)}\u2069`
