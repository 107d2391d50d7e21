-- GETs the prepared objects of one size in turn, anonymously.
local size = os.getenv("BENCH_SIZE")
local objects = tonumber(os.getenv("BENCH_OBJECTS"))
local requests, turn = {}, 0

function init(_)
  for number = 0, objects - 1 do
    requests[number] = wrk.format("GET", string.format("/bench/%s/%08d", size, number))
  end
end

function request()
  turn = (turn + 1) % objects
  return requests[turn]
end
