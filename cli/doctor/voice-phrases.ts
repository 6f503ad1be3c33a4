import { persian } from '#platform/words'
import { sentence } from '../command.ts'

/** The findings of the doctor about voice calls, and after a colon how to fix them. */
export const voicePhrases = {
  none: () =>
    sentence(
      'این پردازه تماس نمی‌گیرد (voice.capacity یا --role).',
      'This process takes no calls (voice.capacity, or --role).',
    ),

  sandboxOnly: () =>
    sentence(
      'تنها شبیه‌ساز پاسخ می‌دهد، برای آزمودن: برای تماس واقعی یک مدل متنی، یک مدل رونویسی و یک مدل صوتی لازم است.',
      'Only the sandbox answers, for trying it: a real call needs a text model, a transcription model and an audio model.',
    ),
  sandboxParts: (lacking: string) =>
    sentence(
      `مدل‌های متنی تماس را پاسخ می‌دهند ولی با ${lacking} می‌شنوند یا حرف می‌زنند: در فایل پیکربندی یک مدل kind: transcription و یک مدل kind: audio بنویسید، یا defaults.transcription_model و defaults.speech_model را.`,
      `Text models answer calls, but hear or speak by ${lacking}: write a model of kind: transcription and one of kind: audio in the configuration file, or defaults.transcription_model and defaults.speech_model.`,
    ),
  models: ({ hears, answers, speaks }: { hears: string; answers: string; speaks: string }) =>
    sentence(
      `${hears} می‌شنود، ${answers} پاسخ می‌دهد و ${speaks} حرف می‌زند.`,
      `${hears} hears, ${answers} answers, ${speaks} speaks.`,
    ),
  vendorModel: (model: string) => sentence(`${model} می‌شنود و حرف می‌زند.`, `${model} hears and speaks.`),
  noDefault: () =>
    sentence(
      ' تماسی که مدلی را نام نبرد رد می‌شود، تا وقتی defaults.realtime_model نباشد.',
      ' A call that names no model is refused, as long as there is no defaults.realtime_model.',
    ),

  passed: (models: string) =>
    sentence(
      `تماس‌های WebRTC با ${models} از کنار این سرور می‌گذرند (engine: passthrough): سرور فقط می‌تواند قطعشان کند، آنچه فروشنده بیش از اعتبار کنارگذاشته بسازد به پای گردانندهٔ سرویس است و فروشنده نشانی تماس‌گیرنده را می‌بیند. اگر این را نمی‌پذیرید engine: relay بنویسید.`,
      `WebRTC calls with ${models} run past this server (engine: passthrough): it can only hang up, what the vendor makes beyond what was held is the operator's loss, and the vendor sees the caller's address. Write engine: relay unless you accept that.`,
    ),

  portsChosen: () =>
    sentence(
      'سیستم درگاه را انتخاب می‌کند؛ فایروال نمی‌تواند آن را بشناسد، پس این تنها برای همین شبکه است.',
      'The system chooses the port; no firewall can know it, so this is for this network alone.',
    ),
  ports: (range: string, { free, tried }: { free: number; tried: number }) =>
    sentence(
      `${range}: ${persian(free)} از ${persian(tried)} آزاد است. در فایروال همین بازه را برای UDP و TCP باز کنید.`,
      `${range}: ${free} of ${tried} are free. Open this range in the firewall, UDP and TCP.`,
    ),
  portsOurs: (range: string, { free, tried }: { free: number; tried: number }) =>
    sentence(
      `${range}: ${persian(free)} از ${persian(tried)} آزاد است؛ سروری که روشن است بقیه را دارد.`,
      `${range}: ${free} of ${tried} are free; the server that is running has the others.`,
    ),
  portsTaken: (range: string) =>
    sentence(
      `هیچ درگاهی از ${range} آزاد نیست: برنامه‌ای را که آن‌ها را گرفته ببندید یا webrtc.ports را عوض کنید.`,
      `No port of ${range} is free: stop the program that has them, or change webrtc.ports.`,
    ),
  portsFew: (range: string, { free, processes }: { free: number; processes: number }) =>
    sentence(
      `${range} تنها ${persian(free)} درگاه آزاد دارد و ${persian(processes)} پردازه هر یک درگاهی می‌خواهد: webrtc.ports را بزرگ‌تر یا KHERAD_WORKERS را کمتر کنید.`,
      `${range} has only ${free} free, and ${processes} processes need one each: widen webrtc.ports, or lower KHERAD_WORKERS.`,
    ),
  notHere: (reason: string) =>
    sentence(
      `یکی از نشانی‌های webrtc.listen از این ماشین نیست (${reason}): نشانی خود این ماشین را بنویسید و نشانی عمومی را در webrtc.public_ip.`,
      `An address of webrtc.listen is not this machine's (${reason}): write one of its own there, and the public one in webrtc.public_ip.`,
    ),

  addresses: (addresses: string) =>
    sentence(`به مرورگرها گفته می‌شود: ${addresses}`, `Browsers are told: ${addresses}`),
  addressesInside: (addresses: string, host: string) =>
    sentence(
      `به مرورگرها تنها ${addresses} گفته می‌شود که از بیرون به آن نمی‌رسند، ولی ${host} نشانی بیرونی است: نشانی عمومی این ماشین را در webrtc.public_ip بنویسید.`,
      `Browsers are told only ${addresses}, which they cannot reach from outside, while ${host} is an address for outside: write this machine's public address in webrtc.public_ip.`,
    ),

  secure: () => sentence('مرورگر میکروفون را می‌دهد.', 'Browsers give the microphone.'),
  insecure: (address: string) =>
    sentence(
      `${address} نه https است و نه localhost، و هیچ مرورگری آنجا میکروفون نمی‌دهد: TLS بگذارید (deploy/Caddyfile) و KHERAD_BASE_URL را https کنید.`,
      `${address} is neither https nor localhost, and no browser gives the microphone there: set up TLS (deploy/Caddyfile) and make KHERAD_BASE_URL https.`,
    ),
}

export const voiceTitles = {
  voice: sentence('تماس صوتی', 'voice calls'),
  voice_models: sentence('مدل‌های تماس', 'models of calls'),
  voice_passthrough: sentence('تماس‌های بی‌واسطه', 'calls past this server'),
  voice_ports: sentence('درگاه‌های تماس', 'ports of calls'),
  voice_addresses: sentence('نشانی‌های تماس', 'addresses of calls'),
  voice_microphone: sentence('میکروفون', 'microphone'),
}
