/** `sirv` as its README says for production, on Node's own server: `node bench/sirv-server.ts port folder module`. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pathToFileURL } from 'node:url'

type Handler = (request: IncomingMessage, response: ServerResponse) => void
const [port, folder, module] = process.argv.slice(2)
const { default: sirv } = (await import(pathToFileURL(module!).href)) as {
  default: (folder: string, options: object) => Handler
}
createServer(sirv(folder!, { gzip: true, etag: true, maxAge: 0 })).listen(Number(port), '127.0.0.1')
