/**
 * A vendor of videos for benchmarks: `node bench/video-upstream.ts PORT`. It takes every order, and says of every job that it is
 * under way; `/counted` answers how often it was asked.
 */
import { createServer } from 'node:http'

const [port = 0] = process.argv.slice(2).map(Number)
let jobs = 0
let looks = 0

createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    if (request.url === '/counted') {
      response.end(JSON.stringify({ jobs, looks }))
      return
    }
    const isOrder = request.method === 'POST'
    if (!isOrder) looks += 1
    const id = isOrder ? `job-${jobs++}` : request.url!.split('/').at(-1)!
    const body = JSON.stringify({ id, status: isOrder ? 'pending' : 'in_progress', progress: 40 })
    response.writeHead(isOrder ? 202 : 200, { 'content-type': 'application/json' })
    response.end(body)
  })
}).listen(port, '127.0.0.1')
