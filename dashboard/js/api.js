/** The PaperBench API of this server. Throws ApiError with the server's own sentence. */
const BASE = "/api/paperbench";

export class ApiError extends Error {
  constructor(message, code = "") {
    super(message);
    this.code = code;
  }
}

/** The JSON answer of GET `path`, with the HTTP status beside it. */
export async function get(path) {
  const response = await fetch(BASE + path, { headers: { Accept: "application/json" } });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(answer.error ?? `HTTP ${response.status}`, answer.code);
  return { status: response.status, answer };
}

export const logUrl = (jobId) => `${BASE}/run/${encodeURIComponent(jobId)}/logs.txt`;
export const reportPath = (jobId, language) =>
  `/run/${encodeURIComponent(jobId)}/report?languages=${encodeURIComponent(language)}`;

/** Files under this server are addressed relatively, so that a tunnel on another port works; others stay as they are. */
export function reachable(url) {
  const parsed = new URL(url, location.href);
  const ours = parsed.pathname.startsWith("/api/") || parsed.pathname.startsWith("/objects/");
  return ours ? parsed.pathname + parsed.search : parsed.href;
}
