import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    VOICE_BUSY: { capacity: number }
    VOICE_HOST_LOST: Record<string, never>
    WEBRTC_UNAVAILABLE: object
  }
}

export const callFailures = declareFailures({
  VOICE_BUSY: {
    status: 503,
    en: ({ capacity }) =>
      capacity === 0
        ? 'No process of this service takes calls now. Try again in some seconds; the operator starts one (--role voice).'
        : `All ${capacity} places for calls are taken. Try again in some seconds; the operator sets their number (voice.capacity).`,
    fa: ({ capacity }) =>
      capacity === 0
        ? 'اکنون هیچ پردازه‌ای از این سرویس تماس نمی‌پذیرد. چند ثانیه بعد دوباره بکوشید؛ گردانندهٔ سرویس پردازه‌ای برای آن روشن می‌کند (--role voice).'
        : `هر ${persian(capacity)} جای تماس پر است. چند ثانیه بعد دوباره بکوشید؛ شمار جاها را گردانندهٔ سرویس تعیین می‌کند (voice.capacity).`,
  },
  VOICE_HOST_LOST: {
    status: 502,
    en: () =>
      'The process that was to hold this call broke off before it answered. Begin a new call; one that was begun and has no client ends by itself.',
    fa: () =>
      'پردازه‌ای که باید این تماس را نگه می‌داشت پیش از پاسخ قطع شد. تماس تازه‌ای بگیرید؛ تماسی که آغاز شده و کسی در آن نیست خودبه‌خود پایان می‌یابد.',
  },
  WEBRTC_UNAVAILABLE: {
    status: 503,
    en: () =>
      'No call over WebRTC can be taken here: none of its ports is free, or its address is not this machine’s (webrtc.ports, webrtc.listen; the log says which). Call over WebSocket until then: GET /v1/realtime.',
    fa: () =>
      'اینجا تماس WebRTC ممکن نیست: هیچ‌یک از درگاه‌هایش آزاد نیست یا نشانی‌اش از این ماشین نیست (webrtc.ports و webrtc.listen؛ لاگ می‌گوید کدام). تا آن زمان از راه WebSocket تماس بگیرید: GET /v1/realtime.',
  },
})

export const reasons = {
  noModel: {
    en: 'name a model: a realtime or a text model; there is no defaults.realtime_model here.',
    fa: 'مدلی را نام ببرید: یک مدل realtime یا متنی؛ اینجا defaults.realtime_model تعیین نشده است.',
  },
  noTranscription: {
    en: 'name a transcription model: this server has none by itself.',
    fa: 'یک مدل رونویسی را نام ببرید: این سرور خودش مدلی برای آن ندارد.',
  },
  modelName: {
    en: 'a model is named by a text of at most 200 characters.',
    fa: 'نام مدل متنی با حداکثر ۲۰۰ کاراکتر است.',
  },
  modelOfAgent: (model: string): Localized => ({
    en: `this agent answers with ${model}: leave the model out, or name a realtime model of that text model.`,
    fa: `این عامل با ${model} پاسخ می‌دهد: model را حذف کنید یا مدل realtimeی را نام ببرید که همین مدل متنی را دارد.`,
  }),
  passedStore: {
    en: 'this model talks with the caller directly (engine: passthrough), so that nothing of a call can be kept here: leave it out, or call over a WebSocket.',
    fa: 'این مدل بی‌واسطه با تماس‌گیرنده حرف می‌زند (engine: passthrough) و اینجا چیزی از تماس نگه داشته نمی‌شود: آن را حذف کنید یا از راه WebSocket تماس بگیرید.',
  },
  passedTools: {
    en: 'this model talks with the caller directly (engine: passthrough), so that no tools run here in its calls: leave them out, and give it functions that the client runs.',
    fa: 'این مدل بی‌واسطه با تماس‌گیرنده حرف می‌زند (engine: passthrough) و در تماس‌هایش ابزاری اینجا اجرا نمی‌شود: آن‌ها را حذف کنید و تابع‌هایی بدهید که برنامهٔ شما اجرا می‌کند.',
  },
  sessionText: {
    en: 'a session is the text of a JSON object.',
    fa: 'session متن یک شیء JSON است.',
  },
  noBase64: {
    en: 'it is no Base64.',
    fa: 'Base64 نیست.',
  },
  tooMuchSound: {
    en: 'more than a minute of sound would wait to be heard; send it at the pace at which it was spoken.',
    fa: 'بیش از یک دقیقه صدا در انتظار شنیده شدن می‌ماند؛ آن را با همان سرعت گفتار بفرستید.',
  },
  noCall: {
    en: 'say which call: send its id.',
    fa: 'بگویید کدام تماس: id آن را بفرستید.',
  },
  twoCalls: {
    en: 'id and call_id name two different calls.',
    fa: 'id و call_id دو تماس متفاوت را نام می‌برند.',
  },
} satisfies Record<string, Localized | ((model: string) => Localized)>
