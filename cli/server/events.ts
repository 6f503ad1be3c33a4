/** The data of server-sent events, as they come. */
export async function* eventsOf({ body }: Response): AsyncGenerator<string> {
  let text = ''
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + piece).split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data !== undefined) yield data
    }
  }
}
