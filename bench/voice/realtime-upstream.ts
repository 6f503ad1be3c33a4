/** A realtime model of OpenAI's wire, scripted: it begins to answer after `answerAfterMs`, with all of its sound at once. */
import type { Server } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'

export const answerAfterMs = 300
const chunks = 40

export function serveRealtime(server: Server, tone: Buffer): void {
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, line, head) =>
    sockets.handleUpgrade(request, line, head, (socket) => talk(socket, tone)),
  )
}

function talk(socket: WebSocket, tone: Buffer): void {
  const send = (event: object): void => socket.send(JSON.stringify(event))
  let [answers, turns] = [0, 0]
  const done = (status: string): void => {
    const usage = {
      ...{ total_tokens: 200, input_tokens: 100, output_tokens: 100 },
      input_token_details: { text_tokens: 50, audio_tokens: 50 },
      output_token_details: { text_tokens: 20, audio_tokens: 80 },
    }
    send({ type: 'response.done', response: { id: `resp_${answers}`, status, usage } })
  }
  const answer = (): void => {
    const item = `item_answer_${++answers}`
    send({ type: 'response.created', response: { id: `resp_${answers}`, status: 'in_progress' } })
    send({ type: 'response.output_item.added', item: { id: item, type: 'message' } })
    send({ type: 'response.output_audio_transcript.delta', item_id: item, delta: 'تهران پایتخت ایران است.' })
    const size = 2 * Math.ceil(tone.length / chunks / 2)
    for (let at = 0; at < tone.length; at += size) {
      const delta = tone.subarray(at, at + size).toString('base64')
      send({ type: 'response.output_audio.delta', item_id: item, delta })
    }
    done('completed')
  }
  socket.on('message', (data) => {
    const { type, session } = JSON.parse(String(data)) as { type: string; session?: object }
    if (type === 'session.update') send({ type: 'session.updated', session })
    if (type === 'input_audio_buffer.commit')
      send({ type: 'input_audio_buffer.committed', item_id: `item_user_${++turns}` })
    if (type === 'response.create') setTimeout(answer, answerAfterMs)
    if (type === 'response.cancel') done('cancelled')
  })
  send({ type: 'session.created', session: { id: 'sess_1' } })
}
