/** Reads on until this was said, and resolves with all of it. An answer that ends before is a failure: to read on would hold the process for good. */
export async function readUntil(reader: ReadableStreamDefaultReader<string>, said: string): Promise<string> {
  let text = ''
  while (!text.includes(said)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the answer ended before ${said}: ${text}`)
    text += value
  }
  return text
}
