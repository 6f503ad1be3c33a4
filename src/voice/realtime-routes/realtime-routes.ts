/**
 * The routes of voice calls over WebRTC or a WebSocket, and of the client secrets with which browsers begin them. Calls are begun, read and ended
 * here.
 */
import { modelFailures, paymentFailures, referenceHeaders } from '#core/calls'
import { upstreamFailures } from '#core/inference'
import type { Route } from '#platform/http'
import { callAgentFailures } from '#work/agents'
import {
  type CallRecordsApp,
  type ClientSecretsApp,
  type PeerCallApp,
  peerRoute,
  recordRoute,
  secretRoute,
  socketRoute,
} from './app.ts'
import { callModels } from './chosen-model.ts'
import { maxMessageBytes } from './client-event.ts'
import { createSecret } from './client-secrets.ts'
import { createCall, locationOf } from './create.ts'
import { endNamed, endOne } from './end.ts'
import { atHost, socketAtHost } from './hosts/at-host.ts'
import { openVoiceHost } from './hosts/voice-host.ts'
import { callFailures } from './phrases.ts'
import { getCall, list } from './read.ts'
import {
  CallList,
  CallParams,
  CallRecord,
  CallsQuery,
  CreateBody,
  CreatedCall,
  CreateForm,
  CreateQuery,
  DeletedTranscript,
  EndBody,
  EndQuery,
  maxSdpLength,
  Secret,
  SecretBody,
  SocketQuery,
  Transcript,
  TranscriptQuery,
} from './schema.ts'
import { openCall, subprotocolKey } from './socket.ts'
import { tidyJob } from './tidy.ts'
import { deleteTranscript, getTranscript } from './transcript.ts'

const secretBytes = 128 * 1024
/** The most bytes of an offer in JSON, whose line ends are longer there, and a session. */
const createBytes = 256 * 1024

/**
 * The bounds of a client's messages. One that sends its sound in frames of 20 ms sends 50 messages a second, beside its events. A megabyte a second
 * is sixteen times the pace of sound.
 */
const bounds = { messageBytes: maxMessageBytes, messagesPerSecond: 100, bytesPerSecond: 1024 * 1024 }

const routes: Route<PeerCallApp & CallRecordsApp & ClientSecretsApp>[] = [
  socketRoute({
    path: '/v1/realtime',
    operation: 'realtime.connect',
    scope: 'audio:write',
    models: callModels,
    credentials: ['key', 'session', 'client'],
    keySources: [subprotocolKey],
    cors: 'any',
    protocols: ['realtime'],
    bounds,
    summary: {
      en: 'A voice call over a WebSocket, with the events of OpenAI’s Realtime API.',
      fa: 'تماس صوتی از راه WebSocket، با رویدادهای Realtime API‌ی OpenAI.',
    },
    headers: referenceHeaders,
    query: SocketQuery,
    errors: [...modelFailures, ...callAgentFailures, ...paymentFailures, ...callFailures],
    handle: socketAtHost(openCall),
  }),
  peerRoute({
    method: 'POST',
    path: '/v1/realtime/calls',
    operation: 'realtime.create',
    scope: 'audio:write',
    credentials: ['key', 'session', 'client'],
    cors: 'any',
    models: callModels,
    idempotent: true,
    bodyLimit: createBytes,
    textBody: { mediaType: 'application/sdp', field: 'sdp' },
    summary: {
      en: 'A voice call over WebRTC. An offer that is the whole body (`application/sdp`) or stands in a form is answered by SDP alone.',
      fa: 'تماس صوتی از راه WebRTC. پاسخ پیشنهادی که تمام بدنه است (`application/sdp`) یا در فرم آمده فقط SDP است.',
    },
    headers: referenceHeaders,
    query: CreateQuery,
    body: CreateBody,
    upload: {
      fields: CreateForm,
      files: {},
      maxBytes: createBytes,
      fieldBytes: maxSdpLength,
      isOptional: true,
    },
    reply: { 201: CreatedCall },
    otherTypes: 'application/sdp',
    location: ({ id }) => locationOf({ id: String(id) }),
    errors: [
      ...modelFailures,
      ...callAgentFailures,
      ...paymentFailures,
      ...callFailures,
      ...upstreamFailures,
    ],
    handle: atHost(createCall),
  }),
  recordRoute({
    method: 'GET',
    path: '/v1/realtime/calls',
    operation: 'realtime.list',
    scope: 'audio:write',
    summary: { en: 'Calls of the account, newest first.', fa: 'تماس‌های حساب، تازه‌ترین در آغاز.' },
    query: CallsQuery,
    reply: { 200: CallList },
    errors: [],
    handle: list,
  }),
  recordRoute({
    method: 'DELETE',
    path: '/v1/realtime/calls',
    operation: 'realtime.end',
    scope: 'audio:write',
    credentials: ['key', 'session', 'client'],
    cors: 'any',
    summary: {
      en: 'End a call, named in the body or by `?id=`. One that has ended is answered as it did.',
      fa: 'پایان دادن به تماسی که در بدنه یا با `?id=` نام برده شده. تماس پایان‌یافته همان پاسخ را دارد.',
    },
    bodyMayBeAbsent: true,
    query: EndQuery,
    body: EndBody,
    reply: { 200: CallRecord },
    errors: ['NOT_FOUND'],
    handle: endNamed,
  }),
  recordRoute({
    method: 'GET',
    path: '/v1/realtime/calls/{id}',
    operation: 'realtime.call',
    scope: 'audio:write',
    credentials: ['key', 'session', 'client'],
    cors: 'any',
    summary: { en: 'A call.', fa: 'یک تماس.' },
    params: CallParams,
    reply: { 200: CallRecord },
    errors: ['NOT_FOUND'],
    handle: getCall,
  }),
  recordRoute({
    method: 'DELETE',
    path: '/v1/realtime/calls/{id}',
    operation: 'realtime.endOne',
    scope: 'audio:write',
    credentials: ['key', 'session', 'client'],
    cors: 'any',
    summary: { en: 'End a call.', fa: 'پایان دادن به یک تماس.' },
    params: CallParams,
    reply: { 200: CallRecord },
    errors: ['NOT_FOUND'],
    handle: (context) => endOne(context, context.params.id),
  }),
  recordRoute({
    method: 'POST',
    path: '/v1/realtime/calls/{id}/hangup',
    operation: 'realtime.hangup',
    writes: 'nothing',
    scope: 'audio:write',
    credentials: ['key', 'session', 'client'],
    cors: 'any',
    summary: {
      en: 'End a call, as the clients of OpenAI do.',
      fa: 'پایان دادن به یک تماس، به شیوهٔ کتابخانه‌های OpenAI.',
    },
    params: CallParams,
    reply: { 200: CallRecord },
    errors: ['NOT_FOUND'],
    handle: (context) => endOne(context, context.params.id),
  }),
  recordRoute({
    method: 'GET',
    path: '/v1/realtime/calls/{id}/transcript',
    operation: 'realtime.transcript',
    scope: 'audio:write',
    credentials: ['key', 'session', 'client'],
    cors: 'any',
    summary: {
      en: 'What was said in a call that keeps it (`store`), in its order; while it runs, too.',
      fa: 'سخنان تماسی که آن‌ها را نگه می‌دارد (`store`)، به ترتیب؛ در میانهٔ تماس هم.',
    },
    params: CallParams,
    query: TranscriptQuery,
    reply: { 200: Transcript },
    errors: ['NOT_FOUND'],
    handle: getTranscript,
  }),
  recordRoute({
    method: 'DELETE',
    path: '/v1/realtime/calls/{id}/transcript',
    operation: 'realtime.forget',
    scope: 'audio:write',
    summary: {
      en: 'Delete the words and the sound of a call, for good. One that runs goes on, and nothing more of it is kept.',
      fa: 'حذف همیشگی سخنان و صدای یک تماس. تماس در جریان ادامه می‌یابد و دیگر چیزی از آن نگه داشته نمی‌شود.',
    },
    params: CallParams,
    reply: { 200: DeletedTranscript },
    errors: ['NOT_FOUND'],
    handle: deleteTranscript,
  }),
  secretRoute({
    method: 'POST',
    path: '/v1/realtime/client_secrets',
    operation: 'realtime.clientSecret',
    scope: 'audio:write',
    summary: {
      en: 'A secret with which a browser begins calls in the name of this key.',
      fa: 'رمزی که مرورگر با آن به نام این کلید تماس می‌گیرد.',
    },
    idempotent: true,
    bodyLimit: secretBytes,
    body: SecretBody,
    bodyMayBeAbsent: true,
    reply: { 200: Secret },
    errors: [...modelFailures, ...callAgentFailures],
    handle: createSecret,
  }),
]

export const realtime = { name: 'realtime', routes, jobs: [tidyJob] }

/** Begins calls in this process for other processes: see `openVoiceHost`. */
export const startVoiceHost = (app: PeerCallApp) =>
  openVoiceHost(app, { begin: createCall, socket: openCall })
